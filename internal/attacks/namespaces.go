package attacks

import (
	"errors"
	"os"
	"strings"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/hostns"
	"golang.org/x/sys/unix"
)

// namespaces: getting capabilities back, or out of one's namespaces.
func namespaces() []Row {
	both := []ablation.Wall{ablation.Seccomp, ablation.Caps}
	return []Row{
		{
			name: "user namespace by clone", source: "bubblewrap CVE-2020-5291; the first step of most kernel exploits",
			attack: inChildProcess(func() error { return nil }, unix.CLONE_NEWUSER),
			walls:  []ablation.Wall{ablation.Seccomp},
		},
		{
			name: "user namespace by unshare", source: "CVE-2021-22555, CVE-2022-0185 begin with it; user_namespaces(7)",
			attack: inChildProcess(func() error { return sys(unix.SYS_UNSHARE, unix.CLONE_NEWUSER) }, 0),
			walls:  []ablation.Wall{ablation.Seccomp},
		},
		{
			name: "user namespace by clone3", source: "pipelock: clone3's flags lie behind a pointer",
			attack: func([]string) error {
				args := struct{ flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64 }{
					flags: unix.CLONE_NEWUSER, exitSignal: uint64(unix.SIGCHLD),
				}
				pid, e := fork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
				return reapChild(pid, e, func() error { return nil })
			},
			walls: []ablation.Wall{ablation.Seccomp},
		},
		{
			name: "mount namespace", source: "CVE-2014-5206 starts in one; mount_namespaces(7)",
			attack:  inChildProcess(func() error { return sys(unix.SYS_UNSHARE, unix.CLONE_NEWNS) }, 0),
			control: InNaive, walls: both,
		},
		{
			name: "time namespace", source: "time_namespaces(7): its flag lies within clone's exit signal",
			attack:  inChildProcess(func() error { return sys(unix.SYS_UNSHARE, unix.CLONE_NEWTIME) }, 0),
			control: InNaive, walls: both,
			skip: func(Role) Reason {
				if unix.Access("/proc/self/ns/time", unix.F_OK) != nil {
					return noHardware
				}
				return ""
			},
		},
		{
			name: "enter another namespace", source: "Docker's list of blocked calls (moby PR#19059): setns(2)",
			attack: func([]string) error {
				own, err := os.Open("/proc/self/ns/uts")
				if err != nil {
					return err
				}
				defer own.Close()
				fd := own.Fd()
				return inChildProcess(func() error {
					return sys(unix.SYS_SETNS, fd, unix.CLONE_NEWUTS)
				}, 0)(nil)
			},
			control: InNaive, walls: both,
		},
		{
			name: "rename the host", source: "bubblewrap#107, PR#108: the host's name could be set; sethostname(2)",
			attack: func([]string) error {
				if err := unix.Sethostname([]byte("owned")); err != nil {
					return err
				}
				return hostIs("owned")
			},
			control: InNaive, walls: both,
		},
		{
			name: "learn the host's name", source: "uname(2); sandbox-runtime and codex show it",
			attack: func(args []string) error { return hostIs(args[0]) },
			arena: func(a *Arena) {
				name, err := os.Hostname()
				if err != nil {
					a.t.Fatal(err)
				}
				a.Args(name)
			},
			walls: []ablation.Wall{ablation.UTS},
		},
		{
			name: "reboot", source: "Docker's list of blocked calls (moby PR#19059): reboot(2): in a pid namespace it ends PID 1",
			attack: func([]string) error {
				// The machine itself must not be what a mistake here reboots.
				pids, err := hostns.Own("pid")
				if err != nil || pids == hostns.PIDs || unix.Getppid() != 1 {
					return errors.Join(err, errors.New("not in a pid namespace of one's own"))
				}
				return unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
			},
			arena:   endsTheRun,
			control: InNaive, walls: both,
		},
		{
			name: "capabilities in force", source: "capabilities(7)",
			attack: func([]string) error {
				header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
				var data [2]unix.CapUserData
				if err := unix.Capget(&header, &data[0]); err != nil {
					return err
				}
				if data[0].Permitted == 0 && data[1].Permitted == 0 {
					return errors.New("there are none")
				}
				return nil
			},
			control: InNaive, walls: []ablation.Wall{ablation.Caps},
		},
		{
			name: "raise an ambient capability", source: "capabilities(7), ambient set",
			attack: func([]string) error {
				// It must be inheritable first.
				header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
				var data [2]unix.CapUserData
				unix.Capget(&header, &data[0])
				data[0].Inheritable = data[0].Permitted
				unix.Capset(&header, &data[0])
				return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0)
			},
			control: InNaive, walls: []ablation.Wall{ablation.Caps},
		},
		{
			name: "unlock the secure bits", source: "capabilities(7), securebits",
			attack:  func([]string) error { return unix.Prctl(unix.PR_SET_SECUREBITS, 1<<4, 0, 0, 0) },
			control: InNaive, walls: both,
		},
		{
			name: "be root of one's namespace", source: "CVE-2018-18955: root by nested user namespaces; capabilities(7): setuid(0)",
			attack: func([]string) error {
				if err := sys(unix.SYS_SETRESUID, 0, 0, 0); err != nil {
					return err
				}
				return nil
			},
			control: InNaive,
			why:     "the box's user namespace maps one id, which is not 0",
		},
	}
}

func hostIs(name string) error {
	got, err := os.Hostname()
	if err == nil && !strings.EqualFold(got, name) {
		err = errors.New("the name is " + got)
	}
	return err
}

func sys(nr uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	_, _, e := unix.RawSyscall(nr, a[0], a[1], a[2])
	return errno(e)
}

// inChildProcess carries try out in a child with one thread, which some calls
// ask for.
func inChildProcess(try func() error, flags uintptr) func([]string) error {
	return func([]string) error {
		pid, e := fork(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0)
		return reapChild(pid, e, try)
	}
}

// reapChild is called after a fork, on both sides of it: the child exits with the errno
// of try, in which nothing but raw system calls may happen.
func reapChild(pid uintptr, e unix.Errno, try func() error) error {
	if e != 0 {
		return e
	}
	if pid == 0 {
		code := uintptr(0)
		if err, ok := try().(unix.Errno); ok {
			code = uintptr(err)
		}
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, code, 0, 0)
		}
	}
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(int(pid), &status, 0, nil); err != unix.EINTR {
			break
		}
	}
	if status.ExitStatus() > 0 {
		return unix.Errno(status.ExitStatus())
	}
	if status.Signaled() {
		return errors.New(status.Signal().String())
	}
	return nil
}
