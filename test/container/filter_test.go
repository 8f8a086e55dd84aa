package container

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// namespaceFlags are those of clone(2) that the engine refuses.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// personalities are the values of personality(2) that it allows: Linux, 32 bits of
// it, both with UNAME26, and the question.
var personalities = []uint32{0, 8, 0x20000, 0x20008, 0xffffffff}

// Parts of the instructions of a filter.
const (
	load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	above = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
	anyOf = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	give  = unix.BPF_RET | unix.BPF_K

	allow  = unix.SECCOMP_RET_ALLOW
	denied = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)

	// Offsets into struct seccomp_data. Of an argument its lower half is asked for:
	// the kernel takes no more of these.
	atNumber, atArch, atFirst = 0, 4, 16
)

// engineFilter is the engine's default for its capabilities: what is not allowed gets
// EPERM, and a call newer than its list ENOSYS. Calls of 32-bit programs pass: to the
// engine they are a list of their own.
func engineFilter() ([]unix.SockFilter, error) {
	numbers, err := allowedNumbers()
	if err != nil {
		return nil, err
	}
	f := []unix.SockFilter{
		{Code: load, K: atArch}, {Code: equal, Jt: 1, K: seccomp.Arch()}, {Code: give, K: allow},
		{Code: load, K: atNumber},
		{Code: equal, Jf: 1, K: unix.SYS_CLONE3}, {Code: give, K: absent}, // its flags can't be seen
		{Code: equal, Jf: 4, K: unix.SYS_CLONE}, {Code: load, K: atFirst},
		{Code: anyOf, Jf: 1, K: namespaceFlags}, {Code: give, K: denied}, {Code: give, K: allow},
		{Code: equal, Jf: 5, K: unix.SYS_SOCKET}, {Code: load, K: atFirst},
		{Code: equal, Jt: 1, K: unix.AF_ALG}, {Code: equal, Jf: 1, K: unix.AF_VSOCK}, {Code: give, K: denied}, {Code: give, K: allow},
		{Code: equal, Jf: uint8(2*len(personalities) + 2), K: unix.SYS_PERSONALITY}, {Code: load, K: atFirst},
	}
	for _, p := range personalities {
		f = append(f, unix.SockFilter{Code: equal, Jf: 1, K: p}, unix.SockFilter{Code: give, K: allow})
	}
	f = append(f, unix.SockFilter{Code: give, K: denied})
	for _, nr := range numbers { // the kernel remembers which of these are allowed (Linux 5.11)
		f = append(f, unix.SockFilter{Code: equal, Jf: 1, K: nr}, unix.SockFilter{Code: give, K: allow})
	}
	return append(f, unix.SockFilter{Code: above, Jf: 1, K: slices.Max(numbers)}, unix.SockFilter{Code: give, K: absent}, unix.SockFilter{Code: give, K: denied}), nil
}

// allowedNumbers are the calls that need no look at their arguments.
func allowedNumbers() ([]uint32, error) {
	var numbers []uint32
	for _, name := range strings.Fields(allowed) {
		nr, ok := seccomp.Number(name)
		if !ok {
			return nil, fmt.Errorf("there is no call %s", name)
		}
		numbers = append(numbers, uint32(nr))
	}
	return numbers, nil
}

// loadFilter attaches the container's filter, while there is the capability to do
// so without no_new_privs, which a container does not have.
func loadFilter() error {
	f, err := engineFilter()
	if err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	const setModeFilter = 1
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, setModeFilter, 0, pointer(&fprog)); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// What is asked of the filter is what the engine's own would answer.
func TestEngineFilter(t *testing.T) {
	filter, err := engineFilter()
	if err != nil {
		t.Fatal(err)
	}
	var program seccomp.Program
	for _, i := range filter {
		program = binary.LittleEndian.AppendUint16(program, i.Code)
		program = append(program, i.Jt, i.Jf)
		program = binary.LittleEndian.AppendUint32(program, i.K)
	}
	for _, c := range []struct {
		nr, first uint64
		want      uint32
	}{
		{unix.SYS_READ, 0, allow}, {unix.SYS_WRITEV, 0, allow}, {unix.SYS_CHROOT, 0, allow}, {unix.SYS_PTRACE, 0, allow},
		{unix.SYS_MOUNT, 0, denied}, {unix.SYS_UNSHARE, 0, denied}, {unix.SYS_SETNS, 0, denied}, {unix.SYS_BPF, 0, denied},
		{unix.SYS_GET_MEMPOLICY, 0, denied}, {unix.SYS_KCMP, 0, denied}, {unix.SYS_PIDFD_GETFD, 0, denied},
		{unix.SYS_PROCESS_MADVISE, 0, denied}, {unix.SYS_KEYCTL, 0, denied}, {unix.SYS_IO_URING_SETUP, 0, denied},
		{unix.SYS_CLONE, unix.CLONE_VM, allow}, {unix.SYS_CLONE, unix.CLONE_NEWUSER, denied}, {unix.SYS_CLONE3, 0, absent},
		{unix.SYS_SOCKET, unix.AF_INET, allow}, {unix.SYS_SOCKET, unix.AF_ALG, denied}, {unix.SYS_SOCKET, unix.AF_KCM, allow},
		{unix.SYS_SOCKET, unix.AF_VSOCK, denied}, {unix.SYS_PERSONALITY, 0xffffffff, allow}, {unix.SYS_PERSONALITY, 0x40000, denied},
		{500, 0, absent},
	} {
		got, ok := program.Action(int32(c.nr), seccomp.Arch(), [6]uint64{c.first})
		if !ok || got != c.want {
			t.Errorf("call %d, %#x: %#x, %v, want %#x", c.nr, c.first, got, ok, c.want)
		}
	}
}
