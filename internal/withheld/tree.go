package withheld

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A folder is named with all that lies below it, so all of that is looked at before. What
// there is may be the boxed program's making, and with it how long looking takes and what
// comes first: a tree that was not seen to its end is one that may hold anything.

const (
	// mostOfTree is how many files and folders of a tree are looked at.
	mostOfTree = 1 << 16
	// mostWaiting is how many bytes the paths of folders take that wait to be looked into.
	mostWaiting = 8 << 20
	// treesInTime is how many trees, looked at one after the other, the time that looking
	// may take is for: so each leaves others some of it.
	treesInTime = 3
)

// A treeLook is one look through a tree.
type treeLook struct {
	h       *Looks
	judge   func(at string, kind fs.FileMode) string
	until   time.Time
	left    int // entries
	waiting []string
	pass    func(at string) bool // folders that are not looked into, or nil
	bytes   int                  // of what waits
	unseen  string               // why not all was seen, or ""
}

// through has each entry of a tree judged until something is said of one, which it hands
// on. unseen says why nothing was said though not all was looked at, or is "".
func (h *Looks) through(dir string, most int, judge func(at string, kind fs.FileMode) string) (said, unseen string) {
	l := treeLook{h: h, judge: judge, until: time.Now().Add(h.takes / treesInTime), left: most, waiting: []string{dir}}
	return l.all()
}

func (l *treeLook) all() (said, unseen string) {
	for n := 0; n < len(l.waiting); n++ {
		if said = l.folder(l.waiting[n]); said != "" {
			return said, ""
		}
		l.bytes -= len(l.waiting[n])
		l.waiting[n] = ""
	}
	return "", l.unseen
}

// folder looks at what lies in one folder.
func (l *treeLook) folder(dir string) string {
	const atOnce = 256
	if l.left <= 0 || l.h.stopped() {
		return ""
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EACCES) && beyondReach(dir):
		return ""
	case err != nil:
		l.unseen = shellword.Shown(dir) + " can't be read"
		return ""
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	for {
		entries, err := f.ReadDir(atOnce)
		for _, e := range entries {
			if l.h.stopped() {
				return ""
			}
			if said := l.entry(path.Join(dir, e.Name()), e); said != "" {
				return said
			}
		}
		switch l.left -= len(entries); {
		case err == io.EOF:
			return ""
		case err != nil:
			l.unseen = shellword.Shown(dir) + " can't be read"
			return ""
		case l.left <= 0 || l.bytes > mostWaiting || time.Now().After(l.until) || l.h.stopped():
			l.left, l.unseen = 0, "there is too much in it"
			return ""
		}
	}
}

// entry judges one, and has a folder looked into later.
func (l *treeLook) entry(at string, e fs.DirEntry) string {
	if said := l.judge(at, e.Type()); said != "" || !e.IsDir() || l.pass != nil && l.pass(at) {
		return said
	}
	if slices.Contains(l.h.closed, at) {
		l.unseen = "what is mounted at " + shellword.Shown(at) + " is not looked into"
		return ""
	}
	l.waiting, l.bytes = append(l.waiting, at), l.bytes+len(at)
	return ""
}

// beyondReach says whether nothing below a folder can be reached by the caller, and so by
// no box of his: he may neither pass it nor change its mode. Root may do both.
func beyondReach(dir string) bool {
	var st unix.Stat_t
	return os.Geteuid() != 0 && unix.Lstat(dir, &st) == nil && int(st.Uid) != os.Geteuid() &&
		errors.Is(unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS), unix.EACCES)
}

// mostEntries is how much of one folder is listed.
const mostEntries = 2048

// listed are the first entries of a folder, in no order.
func listed(dir string, most int) []os.DirEntry {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	entries, _ := f.ReadDir(most)
	return entries
}
