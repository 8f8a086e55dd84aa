package pid1

import "golang.org/x/sys/unix"

// constant is where this program's text and constants begin and end, by the linker: nobody
// writes there, and what follows is data.
var constant struct{ from, to uintptr }

// GiveTextBack gives back the pages of this program's text and constants, most of which
// are for starting a box and not for waiting for its end: `jail run` calls it when the wait
// is no short one; once, since waiting needs a few of them again and again. They stay in
// the page cache, and each that is used again is mapped again (madvise(2), MADV_DONTNEED).
// It does nothing in a program of somebody else, whose text is not ours to give.
func GiveTextBack() {
	if early.starter == 0 || !early.rests.CompareAndSwap(false, true) {
		return
	}
	page := uintptr(unix.Getpagesize())
	from, to := constant.from&^(page-1), constant.to&^(page-1)
	unix.RawSyscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
}
