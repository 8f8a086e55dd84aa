package jail

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// A pathGrant is what would allow a path.
type pathGrant struct {
	flag   string // "--ro", "--rw" or "--tmpfs"
	source string // on the host
	target string // in the box, if that is another
	file   bool   // it is no folder
	never  string
}

func (g pathGrant) text() (flags, setting string) {
	if g.flag == "" {
		return "", ""
	}
	value := g.source
	if g.target != "" && g.target != g.source {
		value += ":" + g.target
	}
	key := map[string]string{"--ro": "view.ro", "--rw": "view.rw", "--tmpfs": "view.tmpfs"}[g.flag]
	flags = g.flag + " " + word(value)
	if utf8.ValidString(value) { // TOML has no other strings
		setting = key + " = [" + tomlString(value) + "]"
	}
	return flags, setting
}

// word is a word of a shell's. What can't be seen, or is no text, stands in it by its
// bytes, as bash, zsh and ksh read them.
func word(s string) string {
	switch {
	case strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%=,") == "":
		return s
	case utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || !strconv.IsPrint(r):
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String() + "'"
}

// tomlString is a basic string of TOML's, with what can't be seen by its number.
func tomlString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return `"` + b.String() + `"`
}

// widen names the folder where three files of it or more are missing.
func (h *hostLooks) widen(grants []pathGrant) {
	count := map[string]int{}
	folder := func(g pathGrant) string {
		if g.flag != "--ro" || !g.file || g.target != "" {
			return ""
		}
		return path.Dir(g.source)
	}
	for _, g := range grants {
		count[folder(g)]++
	}
	for i, g := range grants {
		dir := folder(g)
		if dir == "" || count[dir] < 3 {
			continue
		}
		if f, ok := h.at(dir); ok && f.real == dir && h.unhintable(f, hintRead) == "" && !h.has(path.Join(dir, ".env")) {
			grants[i].source = dir
		}
	}
}

// unite has what is removed as well as read granted with its folder alone: a file that
// is granted by itself can't be removed.
func unite(refs []*pathRefusal, grants []pathGrant) {
	folders := map[string]pathGrant{}
	for i, ref := range refs {
		if ref.want&paths.Remove != 0 && grants[i].flag == "--rw" {
			folders[ref.asked] = grants[i]
		}
	}
	for i, ref := range refs {
		if folder, ok := folders[ref.asked]; ok && grants[i].flag != "" {
			grants[i] = folder
		}
	}
}

// grantOfPath is what would have allowed a path; not ok is for what is no wall's
// doing.
func (r *run) grantOfPath(ref *pathRefusal) (pathGrant, bool) {
	switch {
	case errors.Is(ref.errno, unix.ENOENT) || errors.Is(ref.errno, unix.ENOTDIR):
		return r.grantOfMissing(ref)
	case errors.Is(ref.errno, unix.EROFS) || ref.landlock && !r.spec.inPlace():
		return r.grantOfReadOnly(ref), true
	case ref.landlock:
		if f, ok := r.looks().at(ref.granted(ref.real)); ok {
			return r.grantOn(f, "", ref.want), true
		}
		return r.grantOfMissing(ref)
	case ref.errno == unix.EPERM:
		return pathGrant{never: "it belongs to somebody else than the box's user"}, true
	}
	return pathGrant{never: "its mode, or that of a folder above it, refuses the box's user: change it on the host"}, true
}

// granted is what has to be granted of a path: making and removing a name is changing
// its folder.
func (ref *pathRefusal) granted(p string) string {
	if ref.want&(paths.Make|paths.Remove) != 0 {
		return path.Dir(p)
	}
	return p
}

// grantOfMissing is for what the box does not have and the host has.
func (r *run) grantOfMissing(ref *pathRefusal) (pathGrant, bool) {
	asked := ref.granted(ref.asked)
	if ref.want&paths.Remove != 0 {
		if _, ok := r.looks().at(ref.asked); !ok { // there is nothing to remove
			return pathGrant{}, false
		}
	}
	f, ok := r.looks().at(asked)
	if !ok {
		return pathGrant{}, false
	}
	target := asked
	if m := r.plan.view.mountAt(asked); m != nil && m.Kind != MountTmpfs {
		if below(f.real, m.Source) && f.never == "" { // it has been made since
			return pathGrant{}, false
		}
		target = "" // a link of a granted tree that leads out of it
	}
	return r.grantOn(f, target, ref.want), true
}

// changes are the wants that take a writable grant.
const changes = paths.Write | paths.Make | paths.Remove | paths.Change

func (r *run) grantOn(f hostFile, target string, want paths.Want) pathGrant {
	g, use := pathGrant{flag: "--ro", source: f.real, file: !f.dir()}, hintRead
	if want&changes != 0 {
		g.flag, use = "--rw", hintWrite
	}
	if why := r.looks().unhintable(f, use); why != "" {
		return pathGrant{never: why}
	}
	if target != f.real {
		g.target = target
	}
	return g
}

// grantOfReadOnly is for writing where the box only reads.
func (r *run) grantOfReadOnly(ref *pathRefusal) pathGrant {
	asked := ref.real
	if asked == "" {
		asked = ref.asked
	}
	m := r.plan.view.mountAt(asked)
	if m == nil || m.Kind == MountFile || m.Kind == MountLink {
		return r.grantOfOwn(path.Dir(asked), asked)
	}
	if m.Kind == MountSystem {
		return pathGrant{never: "it is a part of the operating system, which all boxes share: have it written to /tmp or to a folder that --rw grants"}
	}
	never := ""
	for _, at := range []string{m.path, ref.granted(asked)} { // the grant as a whole, or what it is about
		source, target := m.source(at), at
		if at == m.path && at == asked { // a file that was granted by itself
			source, target = ref.granted(m.Source), ref.granted(at)
		}
		f, ok := r.looks().at(source)
		if !ok || f.real != source {
			continue
		}
		if never = r.looks().unhintable(f, hintWrite); never == "" {
			g := pathGrant{flag: "--rw", source: source}
			if target != source {
				g.target = target
			}
			return g
		}
	}
	return pathGrant{never: cmp.Or(never, "it is granted read-only, and not to be seen on the host any more")}
}

// grantOfOwn is for writing to the box's own folders.
func (r *run) grantOfOwn(dir, asked string) pathGrant {
	f, ok := r.looks().at(dir)
	if ok && f.real == dir && r.looks().unhintable(f, hintWrite) == "" {
		return pathGrant{flag: "--rw", source: dir}
	}
	if why := kernelsOwn(asked); why != "" {
		return pathGrant{never: why}
	}
	if dir == "/" {
		dir = asked
	}
	if r.plan.view.holds(dir) || strings.Contains(dir, "…") {
		return pathGrant{never: "the box's own tree is read-only: have it written to /tmp or to a folder that --rw or --tmpfs grants"}
	}
	return pathGrant{flag: "--tmpfs", source: dir}
}
