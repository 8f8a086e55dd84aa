package mcpserver

import (
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// holds is how many bytes are in it, or more than limit.
func (w *workspace) holds(limit int64) int64 {
	return w.holdsUnless(limit, func() bool { return false })
}

// hasFileOf says whether there is a file of that size.
func (w *workspace) hasFileOf(size int64) bool {
	fd, err := folder.Open(unix.AT_FDCWD, w.files, 0)
	return err == nil && folder.Largest(fd) >= size
}

// holdsUnless is holds, and more than limit as well once enough says so.
func (w *workspace) holdsUnless(limit int64, enough func() bool) int64 {
	fd, err := folder.Open(unix.AT_FDCWD, w.files, 0)
	if err != nil {
		return limit + 1
	}
	return folder.UseUnless(fd, limit, enough)
}

// lookEvery is how often the workspace is looked at; less often if that takes long.
const lookEvery = 25 * time.Millisecond

// watch looks at the workspace while boxes run.
func (w *workspace) watch() {
	room := w.size // when it was looked at last, what was still to be had
	for {
		limit, ok := w.watched()
		if !ok {
			return
		}
		began, before := time.Now(), w.free()
		in := w.holdsUnless(limit, func() bool { return before-w.free() > room+w.size })
		if in > limit || w.scarce() {
			w.end()
			return
		}
		room = limit - in
		if !w.rest(max(lookEvery, 5*time.Since(began)), func() int64 { return before - w.free() }, room) {
			w.end()
			return
		}
	}
}

// rest waits for the next look, which is early where half of the room may be gone, or
// says that more is gone than may be. taken is what the file system has less than when
// the last look began.
func (w *workspace) rest(long time.Duration, taken func() int64, room int64) bool {
	for until := time.Now().Add(long); time.Now().Before(until); {
		time.Sleep(min(lookEvery, time.Until(until)))
		switch t := taken(); {
		case t > room+w.size:
			return false
		case t > room/2:
			return true
		}
	}
	return true
}

// free is how many bytes the file system has left.
func (w *workspace) free() int64 {
	var st unix.Statfs_t
	if unix.Statfs(w.files, &st) != nil {
		return 0
	}
	return int64(st.Bfree) * st.Bsize
}

// watched is what the workspace may reach, and whether there is any box that could
// make it.
func (w *workspace) watched() (limit int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks = len(w.boxes) > 0
	return w.limit, w.looks
}

// end ends every box.
func (w *workspace) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks, w.full = false, len(w.boxes) > 0
	for u := range w.boxes {
		u.cancel(&tooLarge{beside: len(w.boxes) - 1})
	}
}

// scarce says whether the file system has little left: a twentieth, or 64 MiB where
// that is less.
func (w *workspace) scarce() bool {
	var st unix.Statfs_t
	if unix.Statfs(w.files, &st) != nil {
		return true
	}
	left := min(st.Blocks/20, 64<<20/uint64(st.Bsize))
	return st.Bavail < left
}
