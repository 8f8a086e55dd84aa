// Package folder looks at folders that programs in boxes fill, and empties them:
// nothing in one is trusted to be what it seems, or to stay so.
package folder

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// leastFile is what a file counts at least: its inode is the host's, too.
// Together with leastName that bounds how many there are to be looked at.
const leastFile = 4 << 10

// Deepest is how many folders may lie in one another: each takes a descriptor of
// the supervisor's to look into. More count as too much.
const Deepest = 256

// askEvery is after how many names it is asked whether it is enough: those of some ms.
const askEvery = 1 << 10

// leastName is what each further name of a file counts: it takes time to look at.
const leastName = 4 << 10

// An inode is what hard links to the same file have in common.
type inode struct{ dev, ino uint64 }

// A tally adds up what is in a folder.
type tally struct {
	use, limit int64
	names      int
	largest    int64 // file
	enough     func() bool
	linked     map[inode]bool // files of several names that were counted
}

// Use adds up the bytes of what is in a folder, until that is more than limit,
// and closes it. What it can't look into counts as more.
func Use(fd int, limit int64) int64 {
	return UseUnless(fd, limit, func() bool { return false })
}

// UseUnless is Use, which ends with more than limit as soon as enough says so. It is
// asked now and then: a folder that is being filled takes its time to look at.
func UseUnless(fd int, limit int64, enough func() bool) int64 {
	t := tally{limit: limit, enough: enough, linked: map[inode]bool{}}
	t.folder(fd, Deepest)
	return t.use
}

// Largest is the size of the largest file in a folder, which it closes.
func Largest(fd int) int64 {
	t := tally{limit: math.MaxInt64 - 1, enough: func() bool { return false }, linked: map[inode]bool{}}
	t.folder(fd, Deepest)
	return t.largest
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
	if t.names++; t.names%askEvery == 0 && t.enough() {
		t.use = t.limit + 1
	}
	var st unix.Stat_t
	if t.use > t.limit || unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return // it is enough, or the name is gone
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		t.file(st)
		return
	}
	t.use += max(st.Blocks*512, leastFile)
	below, err := Open(fd, name, unix.RESOLVE_NO_XDEV)
	switch {
	case err == nil:
		t.folder(below, depth-1)
	case !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP): // something else has its name now
		t.use = t.limit + 1
	}
}

func (t *tally) file(st unix.Stat_t) {
	t.largest = max(t.largest, st.Size)
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
