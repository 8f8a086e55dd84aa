package doctor

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// The trials' children are this program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "doctor" {
		Probing(os.Args[2:])
	}
	os.Exit(m.Run())
}

// without runs do where the kernel answers a system call of do's and its children's
// with an errno.
func without(t *testing.T, number uintptr, errno unix.Errno, do func()) {
	t.Helper()
	failed := make(chan error)
	go func() { // ends with do, and its thread, which the filter belongs to, with it
		runtime.LockOSThread()
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(number)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if err == nil {
			do()
		}
		failed <- err
	}()
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
}

// A user namespace that can be made and in which mounts can't be changed is none: a
// mount is tried, and what the kernel says to that is what counts.
func TestUserNamespaceIsTried(t *testing.T) {
	try := child(unix.CLONE_NEWUSER|unix.CLONE_NEWNS, "user_namespace")
	if o := try(context.Background()); o.answer != Yes {
		shipped.LeaveOut(t, "no user namespaces here: "+o.evidence)
	}
	for _, errno := range []unix.Errno{unix.EPERM, unix.EACCES, unix.EINVAL} {
		without(t, unix.SYS_MOUNT_SETATTR, errno, func() {
			o := try(context.Background())
			powerless := strings.Contains(o.evidence, "the namespace was made, but without capabilities")
			if o.answer != No || o.errno != errno || !o.made || powerless != (errno != unix.EINVAL) {
				t.Errorf("mount_setattr is answered with %v: %+v", errno, o)
			}
		})
	}
}
