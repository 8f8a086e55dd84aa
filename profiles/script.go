package profiles

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// checkDash reports an option that is also the name of a file in the caller's
// folder, which was probably meant. What tells the two apart is a suffix: no
// option has one, and a file called -u is no reason to refuse -u.
func (b *builder) checkDash(args []string) {
	run := &b.p.settings.run
	if run.grant != grantScript || len(args) == 0 || !isOption(args[0]) {
		return
	}
	arg := args[0]
	if slices.Contains(run.code, arg) || slices.Contains(run.value, arg) || filepath.Ext(arg) == "" || strings.Contains(arg, "=") {
		return
	}
	if path, ok := b.h.abs(arg); ok && isFile(path) {
		b.fault("script", arg, shellword.Quote("./"+arg)+" for the file of that name; what starts with "+arg[:1]+" is an option")
	}
}

const wantScript = "a readable script file"

// script makes sure that the box sees a script, and returns its path there.
func (b *builder) script(arg string, rest line) string {
	if b.p.settings.run.heap == heapV8 && !utf8.ValidString(arg) {
		b.fault("script", arg, "a name in UTF-8, because Node.js finds no other file; what is in this one can come by --stdin FILE, with - for the script")
		return arg
	}
	if box, ok := b.visible(arg); ok {
		host, m, _ := b.view.hostPath(box)
		if why := b.unreadable(host, m); why != "" {
			b.fault("script", arg, why)
		}
		return box
	}
	host, ok := b.h.abs(arg)
	switch {
	case arg != "" && !ok:
		b.fault("script", arg, errNoDir.Error())
		return arg
	case !ok:
		b.fault("script", arg, wantScript)
		return arg
	}
	if _, ok := venvOf(host); ok && sameProgram("python", filepath.Base(host)) && exists(host) {
		b.fault("script", arg, "the script alone: "+shellword.Quote(arg)+" is the Python of a virtual environment, which is found where PATH has it first: PATH="+shellword.Quote(filepath.Dir(filepath.Clean(host)))+":$PATH jail run --profile python SCRIPT")
		return arg
	}
	t, err := walk(host)
	if !b.view.shows(t.real) && !b.noLinks("script", arg, t, false) {
		return arg
	}
	if err != nil {
		want := wantScript + ": " + reason(err)
		if errors.Is(err, unix.ENOENT) {
			want = or(b.programAsScript(arg, rest), want)
		}
		b.fault("script", arg, want)
		return arg
	}
	if why := b.unreadable(t.real, jail.Mount{Kind: jail.MountRO, Source: t.real}); why != "" {
		b.fault("script", arg, why)
		return arg
	}
	return b.grantFile("script", arg, host, t)
}

// checkScript reports a script that is named behind its interpreter where no profile
// has it granted: the interpreter would not find it.
func (b *builder) checkScript(args []string) {
	if len(args) < 2 || isOption(args[1]) || args[1] == "" {
		return
	}
	host, ok := b.h.abs(args[1])
	if !ok || !isFile(host) {
		return
	}
	box := filepath.Clean(args[1])
	if !filepath.IsAbs(box) {
		box = filepath.Join(or(b.cwd, "/tmp"), box)
	}
	if at, _, ok := b.view.hostPath(box); ok && exists(at) {
		return
	}
	name := interprets(filepath.Base(args[0]))
	if name == "" {
		return
	}
	want := "--profile " + name + ", which grants the script"
	if _, _, ok := b.view.hostPath(filepath.Clean(host)); ok {
		want = "--cwd " + shellword.Quote(b.h.Dir) + ", where the script is granted"
	}
	b.fault("command", args[0], want+"; in the box "+shellword.Quote(args[1])+" is "+shellword.Quote(box)+", where nothing is")
}

// interprets is the built-in profile that grants the scripts of a program, or "".
func interprets(program string) string {
	for _, name := range Names() {
		p, _ := decodedBuiltin(name)
		isIts := func(interpreter string) bool { return filepath.Base(interpreter) == program }
		if p.settings.run.grant == grantScript && slices.ContainsFunc(p.settings.run.interpreter, isIts) {
			return name
		}
	}
	return ""
}

// unreadable says why a file that m shows can't be read as a script, or "". What
// root may do anyway its boxes may not: in them, what belongs to the owner of a
// grant belongs to the program, and the rest to others.
func (b *builder) unreadable(path string, m jail.Mount) string {
	mode, owner, err := readable(path)
	if err != nil {
		return wantScript + ": " + reason(err)
	}
	bit := uint32(0o004)
	var grant unix.Stat_t
	if m.Kind != jail.MountSystem && b.o.Tier != jail.Tier2 && unix.Stat(m.Source, &grant) == nil && grant.Uid == owner {
		bit = 0o400
	}
	if b.h.Root && mode&bit == 0 {
		return wantScript + fmt.Sprintf(": permission denied to the box's user (its mode is %04o)", mode&0o7777)
	}
	return ""
}

// readable opens a file to see whether the caller may read it, and returns its mode
// and its owner. Only regular files can be granted as a script: a pipe or a device
// is not one.
func readable(path string) (mode, owner uint32, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, 0, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return st.Mode, st.Uid, nil
	case unix.S_IFDIR:
		return 0, 0, errors.New("it is a folder; grant it with --ro or --workspace and name a file in it")
	}
	return 0, 0, errors.New("it is not a regular file; use - for a program on stdin")
}
