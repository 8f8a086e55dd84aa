package attacks

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// filters: having a say over one's own filter.
func filters() []Row {
	filter := []ablation.Wall{ablation.Seccomp}
	return []Row{
		{
			name: "answer one's own denied calls", source: "seccomp_unotify(2): of two listeners the newer is asked; SECCOMP_USER_NOTIF_FLAG_CONTINUE",
			attack: func([]string) error { return relay(unix.SYS_UNSHARE, unix.CLONE_NEWUSER) },
			walls:  filter,
			skip: func(Role) Reason {
				if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
					return noHardware
				}
				return ""
			},
		},
		{
			name: "let everybody trace it", source: "yama.rst, PR_SET_PTRACER_ANY: undo the host's ptrace_scope",
			attack: func([]string) error { return unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0) },
			walls:  filter,
			skip: func(Role) Reason {
				if unix.Access("/proc/sys/kernel/yama", unix.F_OK) != nil {
					return noHardware
				}
				return ""
			},
		},
	}
}

// relay installs a filter with a listener for the call, makes the call in a child and
// has it go on. The child has the errno.
func relay(nr, arg uintptr) error {
	const (
		continues = 1
		recv      = 0xc0502100
		send      = 0xc0182101
	)
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fc00000}, // SECCOMP_RET_USER_NOTIF
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000}, // SECCOMP_RET_ALLOW
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const setFilter, newListener = 1, 8
	fd, err := rawSyscall(unix.SYS_SECCOMP, setFilter, newListener, pointer(&program))
	runtime.KeepAlive(code)
	if err != nil {
		return err
	}
	asked, answered := make(chan struct{}), make(chan error, 1)
	go func() {
		var call struct {
			id         uint64
			pid, flags uint32
			data       [64]byte
		}
		_, err := rawSyscall(unix.SYS_IOCTL, fd, recv, uintptr(unsafe.Pointer(&call)))
		close(asked) // before the child may go on
		if err != nil {
			answered <- err
			return
		}
		reply := struct {
			id    uint64
			value int64
			errno int32
			flags uint32
		}{id: call.id, flags: continues}
		_, err = rawSyscall(unix.SYS_IOCTL, fd, send, uintptr(unsafe.Pointer(&reply)))
		answered <- err
	}()
	if err := inChildProcess(func() error { return sys(nr, arg) }, 0)(nil); err != nil {
		return err
	}
	select {
	case <-asked:
		return <-answered
	default:
		return errors.New("nobody was asked")
	}
}
