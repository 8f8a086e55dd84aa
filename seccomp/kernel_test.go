package seccomp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These tests load filters into the kernel, each in a process of its own: the
// test binary again, with the name of what it is to do in its environment.

const childEnv = "JAIL_SECCOMP_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		child(what)
	}
	os.Exit(m.Run())
}

// child does one thing below the filter and reports on stdout.
func child(what string) {
	runtime.LockOSThread()
	switch what {
	case "foreign bare":
		foreign()
		os.Exit(0)
	case "aimed bare":
		takeAim()
	}
	p, err := Builtin(Default)
	if err == nil && what == "loopback" {
		p, err = p.Prepend(Loopback())
	}
	if err == nil {
		err = load(p)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(3)
	}
	switch what {
	case "foreign":
		foreign()
	case "aimed":
		takeAim()
	case "x32":
		syscall.RawSyscall(0x40000000|unix.SYS_GETPID, 0, 0, 0)
	default:
		answers := make(map[string]syscall.Errno)
		for _, a := range attempts() {
			_, _, answers[a.name] = syscall.RawSyscall6(a.nr, a.args[0], a.args[1], a.args[2], a.args[3], a.args[4], a.args[5])
		}
		if json.NewEncoder(os.Stdout).Encode(answers) != nil {
			os.Exit(4)
		}
	}
	os.Exit(0)
}

// load sets no_new_privs and p on the calling thread.
func load(p Program) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	program := unix.SockFprog{Len: uint16(p.Len()), Filter: (*unix.SockFilter)(unsafe.Pointer(unsafe.SliceData(p)))}
	_, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(p)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// An attempt is one call, with what the kernel answers below the default
// policy, and with Loopback in front of it.
type attempt struct {
	name               string
	nr                 uintptr
	args               [6]uintptr
	standard, loopback syscall.Errno
}

func attempts() []attempt {
	const high = 1 << 32
	dir := os.Getenv("JAIL_SECCOMP_TEST_DIR")
	file := func(name string) uintptr {
		p, err := unix.BytePtrFromString(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		return uintptr(unsafe.Pointer(p)) // lives until the child ends: nothing is collected so soon
	}
	at := ^uintptr(99) // AT_FDCWD
	return []attempt{
		{"getppid", unix.SYS_GETPPID, [6]uintptr{}, 0, 0},
		{"unknown number", 1000, [6]uintptr{}, unix.ENOSYS, unix.ENOSYS},
		{"clone3", unix.SYS_CLONE3, [6]uintptr{}, unix.ENOSYS, unix.ENOSYS},
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, [6]uintptr{1}, unix.ENOSYS, unix.ENOSYS},
		{"keyctl", unix.SYS_KEYCTL, [6]uintptr{}, unix.EPERM, unix.EPERM},
		{"unshare", unix.SYS_UNSHARE, [6]uintptr{unix.CLONE_NEWUSER}, unix.EPERM, unix.EPERM},
		{"clone newuser", unix.SYS_CLONE, [6]uintptr{unix.CLONE_NEWUSER | uintptr(unix.SIGCHLD)}, unix.EPERM, unix.EPERM},
		{"unix socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_UNIX, unix.SOCK_STREAM}, unix.EAFNOSUPPORT, unix.EAFNOSUPPORT},
		{"inet socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_INET, unix.SOCK_STREAM}, unix.EAFNOSUPPORT, 0},
		{"vsock", unix.SYS_SOCKET, [6]uintptr{unix.AF_VSOCK, unix.SOCK_STREAM}, unix.EAFNOSUPPORT, unix.EAFNOSUPPORT},
		{"create", unix.SYS_OPENAT, [6]uintptr{at, file("plain"), unix.O_CREAT | unix.O_RDWR, 0o644}, 0, 0},
		{"create setuid", unix.SYS_OPENAT, [6]uintptr{at, file("setuid"), unix.O_CREAT | unix.O_RDWR, 0o4755}, unix.EPERM, unix.EPERM},
		{"open with garbage mode", unix.SYS_OPENAT, [6]uintptr{at, file("plain"), unix.O_RDONLY, ^uintptr(0)}, 0, 0},
		{"chmod setgid", unix.SYS_FCHMODAT, [6]uintptr{at, file("plain"), high | 0o2755}, unix.EPERM, unix.EPERM},
		{"chmod", unix.SYS_FCHMODAT, [6]uintptr{at, file("plain"), 0o600}, 0, 0},
		{"mknod device", unix.SYS_MKNODAT, [6]uintptr{at, file("null"), unix.S_IFCHR | 0o666, 0x103}, unix.EPERM, unix.EPERM},
		{"mknod pipe", unix.SYS_MKNODAT, [6]uintptr{at, file("pipe"), unix.S_IFIFO | 0o600}, 0, 0},
		{"tiocsti", unix.SYS_IOCTL, [6]uintptr{^uintptr(0), unix.TIOCSTI}, unix.EPERM, unix.EPERM},
		{"tiocsti with garbage", unix.SYS_IOCTL, [6]uintptr{^uintptr(0), high | unix.TIOCSTI}, unix.EPERM, unix.EPERM},
		{"another ioctl", unix.SYS_IOCTL, [6]uintptr{^uintptr(0), unix.TCGETS}, unix.EBADF, unix.EBADF},
		{"read core limit", unix.SYS_PRLIMIT64, [6]uintptr{0, unix.RLIMIT_CORE, 0, 0}, 0, 0},
		{"set core limit", unix.SYS_PRLIMIT64, [6]uintptr{0, unix.RLIMIT_CORE, 1}, unix.EPERM, unix.EPERM},
	}
}

// run starts the test binary as a child that does what.
func run(t *testing.T, what string) (stdout []byte, status syscall.WaitStatus) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childEnv + "=" + what, "JAIL_SECCOMP_TEST_DIR=" + t.TempDir()}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", what, err)
	}
	return stdout, cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func TestKernel(t *testing.T) {
	for _, what := range []string{"default", "loopback"} {
		stdout, status := run(t, what)
		if status != 0 {
			t.Fatalf("%s: child ended with status %#x", what, status)
		}
		var answers map[string]syscall.Errno
		if err := json.Unmarshal(stdout, &answers); err != nil {
			t.Fatalf("%s: %v in %q", what, err, stdout)
		}
		for _, a := range attempts() {
			want := a.standard
			if what == "loopback" {
				want = a.loopback
			}
			got, ok := answers[a.name]
			if !ok || got != want {
				t.Errorf("%s: %s: errno %d, want %d", what, a.name, got, want)
			}
		}
	}
}

// TestKernelX32 makes a call by x32's number of getpid. Most kernels are built
// without x32 and would answer ENOSYS; the filter comes first.
func TestKernelX32(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("x32 is a table of x86-64")
	}
	if _, status := run(t, "x32"); status.Signal() != unix.SIGSYS {
		t.Errorf("an x32 call ended the process with status %#x, want SIGSYS", status)
	}
}

// TestKernelForeign makes a call by the 32-bit table (int 0x80).
func TestKernelForeign(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("int 0x80 is an instruction of x86")
	}
	if _, status := run(t, "foreign bare"); status != 0 {
		t.Skipf("this kernel has no 32-bit calls: without a filter one ends with status %#x", status)
	}
	if _, status := run(t, "foreign"); status.Signal() != unix.SIGSYS {
		t.Errorf("an int 0x80 call ended the process with status %#x, want SIGSYS", status)
	}
}

// foreign calls i386's getpid: mov $20, %eax; int $0x80; ret.
func foreign() {
	code := []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3}
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		os.Exit(3)
	}
	copy(page, code)
	entry := &struct{ code uintptr }{uintptr(unsafe.Pointer(unsafe.SliceData(page)))}
	(*(*func())(unsafe.Pointer(&entry)))()
}
