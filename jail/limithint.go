package jail

import (
	"fmt"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// limitHint is for a program that came to a limit of which the kernel tells it alone.
// An exit code of 153 tells of one as well: by that a shell says SIGXFSZ.
func (res *Result) limitHint(said string, view []Mount) string {
	said = strings.ToLower(said) // Go's words begin with a small letter
	l := res.Limits
	switch {
	case tellsOf(said, "too many open files", "emfile") && !tellsOf(said, "too many open files in system"):
		return fmt.Sprintf("a process may have %d files open: raise --nofile if it needs more", l.NoFile)
	case tellsOf(said, "file too large", "efbig", "file size limit exceeded"), res.ExitCode != nil && *res.ExitCode == exitFileSize:
		return fmt.Sprintf("a file may have %d bytes: raise --fsize if it needs more", l.FileSizeBytes)
	case tellsOf(said, "no space left on device", "enospc"):
		return res.roomHint(said, view)
	case l.MemoryBytes != nil && tellsOf(said, "memoryerror", "buffer allocation failed", "bad_alloc", "memory exhausted", "enomem", "allocate memory") && !res.raisesItself(said):
		return fmt.Sprintf("its words are of memory that it was refused at once: the kernel gives no process far more than the host has, and a box may have %d bytes of it (--memory)", *l.MemoryBytes)
	}
	return ""
}

// exitFileSize is 128 and the number of SIGXFSZ.
const exitFileSize = 153

// roomHint names the flags that say how much there may be in the box's folders, or the
// one that does of the folder which the program names.
func (res *Result) roomHint(said string, view []Mount) string {
	own := "/tmp and /dev/shm have"
	if res.Tier == Tier2 {
		own = "its private folder has"
	}
	flags := []string{fmt.Sprintf("--tmp-size if that was full (%s %d bytes)", own, res.Limits.TmpBytes)}
	for _, m := range view {
		if m.Kind != MountTmpfs {
			continue
		}
		flag := "--tmpfs " + shellword.Quote(m.Target+":SIZE")
		if strings.Contains(said, strings.ToLower(m.Target)) {
			return shellword.Quote(m.Target) + " is a folder in memory: give it more room with " + flag
		}
		has := fmt.Sprintf("%d bytes", m.Size)
		if m.Size == 0 {
			has = fmt.Sprintf("room for %d files and folders without a SIZE", tmpfsInodes(0))
		}
		flags = append(flags, fmt.Sprintf("%s if that was (it has %s)", flag, has))
	}
	return "there was no space left: raise " + strings.Join(flags, ", or ") + "; what --rw grants has the room of its disk"
}

// backstopHint is for a program without a control group that was refused memory or a
// process: no count tells of that, and so the program's own words do.
func (r *run) backstopHint(said string) string {
	if !r.shape.backstops {
		return ""
	}
	said = strings.ToLower(said)
	l := r.spec.Limits
	switch {
	case r.result.Limits.Pids != nil && forkFails(said):
		return fmt.Sprintf("there is no control group, and the kernel counts processes and threads instead, of which there may be %d: raise --pids if the program needs more", l.Pids)
	case tellsOf(said, "memoryerror", "out of memory", "allocate memory", "enomem", "cannot allocate", "allocation failed", "memory exhausted", "bad_alloc", "outofmemory") && !r.result.raisesItself(said):
		return fmt.Sprintf("there is no control group, and each process may have %d bytes of its own instead: raise --memory if the program needs more", l.Memory)
	}
	return ""
}

// forkFails says whether a text, in small letters, is one of programs that could not
// start a process or a thread (EAGAIN of fork(2) and of clone(2)).
func forkFails(said string) bool {
	return tellsOf(said, "cannot fork", "can't fork", "fork failed", "fork: retry", "can't start new thread", "create new os thread", "create native thread", "create new native thread",
		"pthread_create failed", "uv_thread_create", "blockingioerror: [errno 11] resource temporarily unavailable\n") ||
		tellsOf(said, "resource temporarily unavailable", "eagain") && tellsOf(said, "fork", "spawn", "thread", "clone")
}
