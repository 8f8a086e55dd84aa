package jail

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// The private folder of a tier 2 box has no size of its own, as a tmpfs has: the
// supervisor looks how much is in it, and ends the box when it is too much. What
// is written between two looks, and files that are open and have no name, are not
// seen; RLIMIT_FSIZE is there as well.

// leastFile is what a file counts at least: its inode is the host's, too.
const leastFile = 1 << 10

// watchFolder looks, and returns when to look again: at a large folder less often.
func (w *watch) watchFolder(now time.Time) time.Time {
	limit := w.run.spec.Limits.TmpSize
	if place, err := openFolder(unix.AT_FDCWD, w.run.private, 0); err != nil || folderUse(place, limit) > limit {
		w.run.end.now(ReasonDiskFull)
	}
	after := time.Now()
	return after.Add(max(lookEvery, 10*after.Sub(now)))
}

// deepest is how many folders may lie in one another: each takes a descriptor of
// the supervisor's to look into. More count as too much.
const deepest = 256

// leastName is what each further name of a file counts: it takes time to look at.
const leastName = 256

// An inode is what hard links to the same file have in common.
type inode struct{ dev, ino uint64 }

// A tally adds up what is in a folder.
type tally struct {
	use, limit int64
	linked     map[inode]bool // files of several names that were counted
}

// folderUse adds up what is in a folder, until that is more than limit, and closes
// it. What it can't look into counts as more.
func folderUse(fd int, limit int64) int64 {
	t := tally{limit: limit, linked: map[inode]bool{}}
	t.folder(fd, deepest)
	return t.use
}

func (t *tally) folder(fd, depth int) {
	defer unix.Close(fd)
	if depth == 0 {
		t.use = t.limit + 1
		return
	}
	buf := make([]byte, 8<<10)
	for t.use <= t.limit {
		n, err := unix.ReadDirent(fd, buf)
		if errors.Is(err, unix.ENOENT) || err == nil && n <= 0 { // ENOENT: it was removed meanwhile
			return
		}
		if err != nil {
			t.use = t.limit + 1
			return
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			t.count(fd, name, depth)
		}
	}
}

func (t *tally) count(fd int, name string, depth int) {
	var st unix.Stat_t
	if t.use > t.limit || unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return // it is enough, or the name is gone
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		t.file(st)
		return
	}
	t.use += max(st.Blocks*512, leastFile)
	below, err := openFolder(fd, name, unix.RESOLVE_NO_XDEV)
	switch {
	case err == nil:
		t.folder(below, depth-1)
	case !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP): // something else has its name now
		t.use = t.limit + 1
	}
}

func (t *tally) file(st unix.Stat_t) {
	if st.Nlink > 1 {
		id := inode{st.Dev, st.Ino}
		if t.linked[id] {
			t.use += leastName
			return
		}
		t.linked[id] = true
	}
	t.use += max(st.Blocks*512, leastFile)
}
