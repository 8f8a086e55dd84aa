package withheld

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// Whoever types the name of a command runs a file that lies in a folder of PATH, or what a
// link there leads to, which may be anywhere: npm link, pipx and people make such links.

// programsOf are the folders of the caller's PATH, those that a login puts there, and the
// one that jail lies in, each as named and as what its links lead to. A relative one, and an
// empty one, is found from the folder that the caller is in (execvp(3)).
func programsOf(closed, homes []string, cwd string) (list []string) {
	dirs := strings.Split(os.Getenv("PATH"), ":")
	for i, dir := range dirs {
		if cwd != "" && !path.IsAbs(dir) {
			dirs[i] = path.Join(cwd, dir)
		}
	}
	for _, home := range homes {
		dirs = append(dirs, home+"/bin", home+"/go/bin")
	}
	if own, err := os.Executable(); err == nil {
		dirs = append(dirs, path.Dir(own))
	}
	for _, dir := range dirs {
		if dir = path.Clean(dir); !path.IsAbs(dir) || dir == "/" {
			continue
		}
		if f, ok := (&Looks{closed: closed}).look(dir); ok {
			list = append(list, dir, f.Real)
		}
	}
	return list
}

// A fileID is which file or folder something is, whatever its path.
type fileID struct{ dev, ino uint64 }

// linkedPrograms are those that lie elsewhere than in the folders of PATH.
type linkedPrograms struct {
	paths  []string // what links lead to, and the links on the way
	files  map[fileID]bool
	plain  []string          // what lies in those folders by itself
	real   map[string]string // of what was followed
	around []string          // packages, nil until asked
	unseen string            // of which folder not all was seen
}

// linked looks the links in the folders of PATH up, once.
func (h *Looks) linked() *linkedPrograms {
	if h.byLinks == nil {
		h.byLinks = &linkedPrograms{files: map[fileID]bool{}, real: map[string]string{}}
		dirs := slices.Clone(h.programs)
		slices.Sort(dirs)
		for _, dir := range slices.Compact(dirs) {
			h.byLinks.folder(h, dir)
		}
	}
	return h.byLinks
}

// folder adds those of one folder.
func (l *linkedPrograms) folder(h *Looks, dir string) {
	var st unix.Stat_t
	if unix.Lstat(dir, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return // a link to one, which is on the list as well
	}
	entries := listed(dir, mostOfTree)
	if len(entries) == mostOfTree || len(entries) == 0 && unix.Access(dir, unix.R_OK) != nil && !beyondReach(dir) {
		l.unseen = dir
	}
	for _, e := range entries {
		if h.stopped() {
			return
		}
		at := path.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink == 0 {
			l.plain = append(l.plain, at)
			continue
		}
		hops := 0
		real, ok := l.follow(h, at, &hops)
		if ok && unix.Stat(real, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
			l.paths = append(l.paths, real)
			l.files[fileID{st.Dev, st.Ino}] = true
		}
	}
}

// follow is what a path leads to; the links on the way are kept, since who may replace one
// says what is run.
func (l *linkedPrograms) follow(h *Looks, p string, hops *int) (real string, ok bool) {
	if p == "/" {
		return p, true
	}
	if real, ok = l.real[p]; ok {
		return real, true
	}
	dir, ok := l.follow(h, path.Dir(p), hops)
	at := path.Join(dir, path.Base(p))
	if !ok || slices.Contains(h.closed, at) || OfProcess(at) {
		return "", false
	}
	text, err := os.Readlink(at)
	switch {
	case errors.Is(err, unix.EINVAL): // which is no link
		l.real[p] = at
		return at, true
	case err != nil || *hops >= mostHops:
		return "", false
	}
	*hops++
	l.paths = append(l.paths, at)
	if !path.IsAbs(text) {
		text = path.Join(dir, text)
	}
	if real, ok = l.follow(h, path.Clean(text), hops); ok {
		l.real[p] = real
	}
	return real, ok
}

// mostHops is how many links the kernel follows (path_resolution(7)).
const mostHops = 40

// runsBy says why what lies at a path is not written to for what PATH leads to, or is "".
func (h *Looks) runsBy(real string) string {
	l := h.linked()
	var st unix.Stat_t
	file := unix.Lstat(real, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
	same := func(p string) bool {
		var other unix.Stat_t
		return !h.stopped() && unix.Lstat(p, &other) == nil && other.Dev == st.Dev && other.Ino == st.Ino
	}
	switch {
	case slices.ContainsFunc(l.paths, func(p string) bool { return pathname.Below(p, real) }), file && l.files[fileID{st.Dev, st.Ino}], file && st.Nlink > 1 && slices.ContainsFunc(l.plain, same):
		return NotHinted + "programs that you run lie in it, by links in PATH"
	case l.unseen != "":
		return NotHinted + "which programs you run could not be looked at: " + shellword.Shown(l.unseen) + " can't be read"
	}
	return ""
}
