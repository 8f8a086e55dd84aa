package jail

import (
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// bytesPerInode is how much of a tmpfs's size comes with one inode (see tmpfs).
const bytesPerInode = 1 << 10

// openMemory opens the box's folders in memory. The descriptors keep what is in them
// beyond the box's end.
func (t *tracer) openMemory() {
	for _, m := range t.box.plan.view.mounts {
		if m.Kind != MountTmpfs || m.Size != 0 && m.Size != t.box.spec.Limits.TmpSize {
			continue
		}
		if fd, err := t.open(m.path, true); err == nil {
			t.inMemory = append(t.inMemory, fd)
		}
	}
}

// measureEvery is how often it is looked how much is in them where no call is heard.
const measureEvery = 10 * time.Millisecond

// every is how often to measure, or 0.
func (t *tracer) every() time.Duration {
	if t == nil || len(t.inMemory) == 0 {
		return 0
	}
	return measureEvery
}

// measure looks how much is in the folders in memory, before each call that is heard and
// at the end: a file that loses its name, with much in it, is seen in between.
func (t *tracer) measure() {
	if t == nil {
		return
	}
	for _, fd := range t.inMemory {
		var fs unix.Statfs_t
		if unix.Fstatfs(fd, &fs) == nil {
			t.seen.holds(max(int64(fs.Blocks-fs.Bfree)*fs.Bsize, int64(fs.Files-fs.Ffree)*bytesPerInode))
		}
	}
}

// inMemory is the most that was seen in one of the folders in memory; in tier 2 it is
// what the private folder holds in the end.
func (r *run) inMemory(t *seenPaths) int64 {
	if r.private == "" {
		return t.filled
	}
	place, err := folder.Open(unix.AT_FDCWD, r.private, 0)
	if err != nil {
		return 0
	}
	return folder.Use(place, r.spec.Limits.TmpSize)
}
