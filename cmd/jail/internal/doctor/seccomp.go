package doctor

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probeSeccomp attaches a filter that denies getppid, a call that can't fail
// otherwise, and tries it. The actions that boxes use must be there as well.
func probeSeccomp() (string, error) {
	const (
		getActionAvail = 2 // SECCOMP_GET_ACTION_AVAIL, seccomp(2)
		setModeFilter  = 1
	)
	for name, action := range map[string]uint32{"KILL_PROCESS": unix.SECCOMP_RET_KILL_PROCESS, "ERRNO": unix.SECCOMP_RET_ERRNO} {
		_, _, errno := syscall.Syscall(unix.SYS_SECCOMP, getActionAvail, 0, uintptr(unsafe.Pointer(&action)))
		if errno != 0 {
			return "", step("seccomp action "+name, errno)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", step("no_new_privs", err)
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_GETPPID},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// On all threads, as the runtime may move this goroutine.
	const tsync = 1
	if _, _, errno := syscall.Syscall(unix.SYS_SECCOMP, setModeFilter, tsync, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return "", step("seccomp filter", errno)
	}
	if _, _, errno := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); errno != unix.EPERM {
		return "", fmt.Errorf("a call that a filter denies was answered with %q", errno)
	}
	lines, err := statusLines("Seccomp", "Seccomp_filters")
	return "a call that a filter denies is refused with EPERM; " + lines, err
}
