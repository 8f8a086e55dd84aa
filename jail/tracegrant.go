package jail

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

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
	return g.flag + " " + word(value), key + " = [" + strconv.Quote(value) + "]"
}

// word is a word of a shell's.
func word(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%=,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// widen names the folder where three files of it or more are missing.
func widen(grants []pathGrant) {
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
		if f, ok := hostFileAt(dir); dir != "" && count[dir] >= 3 && ok && f.grantable() == "" && !slices.Contains([]string{"/etc", "/var", "/usr", "/opt", "/srv", "/mnt", "/tmp", "/run"}, dir) {
			grants[i].source = dir
		}
	}
}

// grantOfPath is what would have allowed a path; not ok is for what is no wall's
// doing.
func (r *run) grantOfPath(ref *pathRefusal) (pathGrant, bool) {
	switch {
	case errors.Is(ref.errno, unix.ENOENT) || errors.Is(ref.errno, unix.ENOTDIR):
		return r.grantOfMissing(ref)
	case errors.Is(ref.errno, unix.EROFS):
		return r.grantOfReadOnly(ref), true
	case ref.landlock:
		if f, ok := hostFileAt(ref.real); ok {
			return grantOn(f, "", ref.want), true
		}
		return r.grantOfMissing(ref)
	case ref.errno == unix.EPERM:
		return pathGrant{never: "it belongs to somebody else than the box's user"}, true
	}
	return pathGrant{never: "its mode, or that of a folder above it, refuses the box's user: change it on the host"}, true
}

// grantOfMissing is for what the box does not have and the host has.
func (r *run) grantOfMissing(ref *pathRefusal) (pathGrant, bool) {
	asked := ref.asked
	if ref.want&paths.Make != 0 { // its folder is what is missing
		asked = path.Dir(asked)
	}
	f, ok := hostFileAt(asked)
	if !ok {
		return pathGrant{}, false
	}
	target := asked
	if m := r.plan.view.mountAt(asked); m != nil && m.Kind != MountTmpfs {
		if f.real == m.Source || strings.HasPrefix(f.real, m.Source+"/") { // it has been made since
			return pathGrant{}, false
		}
		target = "" // a link of a granted tree that leads out of it
	}
	return grantOn(f, target, ref.want), true
}

func grantOn(f hostFile, target string, want paths.Want) pathGrant {
	if why := f.grantable(); why != "" {
		return pathGrant{never: why}
	}
	g := pathGrant{flag: "--ro", source: f.real, file: !f.dir()}
	if want&(paths.Write|paths.Make|paths.Remove|paths.Change) != 0 {
		g.flag = "--rw"
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
	if m == nil { // the box's own folders
		dir := path.Dir(asked)
		if f, ok := hostFileAt(dir); ok && f.real == dir && f.grantable() == "" && dir != "/etc" {
			return pathGrant{flag: "--rw", source: dir}
		}
		if dir == "/" {
			dir = asked
		}
		if r.plan.view.holds(dir) || strings.Contains(dir, "…") {
			return pathGrant{never: "the box's own tree is read-only: have it written to /tmp or to a folder that --rw or --tmpfs grants"}
		}
		return pathGrant{flag: "--tmpfs", source: dir}
	}
	if m.Kind == MountSystem {
		return pathGrant{never: "it is a part of the operating system, which all boxes share: have it written to /tmp or to a folder that --rw grants"}
	}
	g := pathGrant{flag: "--rw", source: m.Source}
	if m.path != m.Source {
		g.target = m.path
	}
	return g
}
