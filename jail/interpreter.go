package jail

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
)

// execve answers ENOENT for a program that is not there and for one whose loader
// or interpreter is not. Which it was, the file tells.

// searched has a program that was looked for in PATH, and not found, called by the
// name that was typed, and not by the last path at which it is not. One that is
// there is called by its path: what it names is missing.
func (r *run) searched(e *SetupError) {
	if e.Operation != "execve" || !errors.Is(e.Err, unix.ENOENT) || r.plan == nil || len(r.spec.Args) == 0 {
		return
	}
	name := r.spec.Args[0]
	if line := shellLine(r.spec.Args); line != "" {
		e.Operand, e.Remedy = name, line
		return
	}
	if strings.Contains(name, "/") || path.Base(e.Operand) != name {
		return
	}
	for _, c := range execCandidates(r.spec) {
		if needs, _ := interpreter(r.headOf(c)); needs != "" {
			e.Operand = c
			return
		}
	}
	e.Operand = name
	if !strings.Contains(name, " ") { // else execRemedy knows better
		e.Remedy = "no such program in the box's PATH, " + shellword.Quote(searchPath(r.spec)) + ": name it by its path, and grant it with --ro if it is not in the box"
	}
}

// missingInterpreter says in words what a program, which the box has, names and
// the box has not, and what to do about it.
func (r *run) missingInterpreter(e *SetupError) (what, remedy string) {
	if e.Operation != "execve" || r.plan == nil {
		return "", ""
	}
	var name, kind string
	switch {
	case errors.Is(e.Err, unix.ENOENT):
		name, kind = interpreter(r.headOf(e.Operand))
	case errors.Is(e.Err, unix.EACCES) && r.spec.inPlace(): // Landlock's answer to the same
		name, kind = r.lacks(e.Operand)
	}
	if name == "" {
		return "", ""
	}
	what = "the file is there, and names the " + kind + " " + shown(name) + ", which is not in the box"
	if strings.HasSuffix(name, "\r") {
		return what, "end the file's first line with a line feed alone: its carriage return is taken for a part of the name"
	}
	return what, r.wayToInterpreter(name)
}

// wayToInterpreter is what to do about an interpreter, or a loader, that a file names: the
// file may be the program's own, and is told no more than other words of its are.
func (r *run) wayToInterpreter(name string) string {
	const nowhere = "this host does not have it either: name another in the file, or build the program for this system"
	if !path.IsAbs(name) {
		return nowhere
	}
	f, there, why := r.looks().ByWord(name, r.given())
	switch {
	case why == withheld.NotLookedFor:
		return withheld.NotLookedFor + ": name another in the file, or grant this one if it is meant"
	case why != "":
		return neverWords(why)
	case !there:
		return nowhere
	}
	g := r.typed(r.grantOn(f, path.Clean(name), paths.Read))
	if g.flags == "" {
		return neverWords(g.never)
	}
	return "grant it with " + g.flags
}

// shown is a name that a file holds, on one line.
func shown(name string) string {
	const longest = 128
	return quotedText(name[:min(len(name), longest)])
}

func quotedText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < 0x20 || c >= 0x7f || c == '"' {
			b.WriteString(`\x` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

// headOf is the beginning of a file that the box has from the host, or nil: also where
// that takes too long.
func (r *run) headOf(file string) []byte {
	var head []byte
	if !r.looks().Bounded(func() { head = r.readHead(file) }) {
		return nil
	}
	return head
}

func (r *run) readHead(file string) []byte {
	fd := r.openInView(path.Clean(file))
	if fd < 0 {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	head := make([]byte, 4096)
	n, _ := unix.Pread(fd, head, 0)
	return head[:max(n, 0)]
}

// openInView opens what the box has at a path, on the host. It is -1 for all that
// does not lie in a granted tree, links out of it included.
func (r *run) openInView(file string) int {
	if !path.IsAbs(file) {
		file = path.Join(r.plan.spec.Dir, file)
	}
	file = r.view.followed(file)
	var best *mount
	for _, m := range r.view.mounts {
		if m.Source != "" && (m.path == file || strings.HasPrefix(file, strings.TrimSuffix(m.path, "/")+"/")) && (best == nil || len(m.path) > len(best.path)) {
			best = m
		}
	}
	if best == nil || r.looks().Closed(best.Source) {
		return -1
	}
	const flags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	if !best.dir {
		fd, err := unix.Open(best.Source, flags, 0)
		if err != nil {
			return -1
		}
		return fd
	}
	dir, err := unix.Open(best.Source, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	defer unix.Close(dir)
	inside := strings.TrimPrefix(strings.TrimPrefix(file, best.path), "/")
	fd, err := unix.Openat2(dir, inside, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS})
	if err != nil {
		return -1
	}
	return fd
}

// followed is a path with the view's own links in it resolved.
func (v view) followed(file string) string {
	for range 8 {
		next := file
		for _, e := range v.entries {
			if rest, ok := strings.CutPrefix(file, e.path); ok && e.kind == entryLink && (rest == "" || rest[0] == '/') {
				target := e.text
				if !path.IsAbs(target) {
					target = path.Join(path.Dir(e.path), target)
				}
				next = path.Clean(target + rest)
			}
		}
		if next == file {
			break
		}
		file = next
	}
	return file
}

// interpreter is what a program's file names to be started by: the loader of a
// dynamic one, or the program of its #! line.
func interpreter(head []byte) (name, kind string) {
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		name, _, _ := strings.Cut(strings.TrimLeft(string(line), " \t"), " ")
		name, _, _ = strings.Cut(name, "\t")
		return name, "interpreter"
	}
	const header, programHeader, ptInterp = 64, 56, 3
	if len(head) < header || !bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")) { // 64 bits, little-endian
		return "", ""
	}
	le := binary.LittleEndian
	at, n := le.Uint64(head[32:]), uint64(le.Uint16(head[56:]))
	for i := range n {
		from := at + i*programHeader
		if from > uint64(len(head)-programHeader) {
			break
		}
		if p := head[from:]; le.Uint32(p) == ptInterp {
			offset, size := le.Uint64(p[8:]), le.Uint64(p[32:])
			if offset > uint64(len(head)) || size > uint64(len(head))-offset {
				break
			}
			name, _, _ := strings.Cut(string(head[offset:offset+size]), "\x00")
			return name, "loader"
		}
	}
	return "", ""
}
