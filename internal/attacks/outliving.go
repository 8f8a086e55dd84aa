package attacks

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// outliving: being there after the run is over. What is left of an attack
// writes to a file of the host once it is let, and ends.
func outliving() []Row {
	return []Row{
		{
			name: "a daemon", source: "sandlock#238; every judge: double fork",
			attack: func(args []string) error { return daemon(args, false) },
			arena:  func(a *Arena) { a.writesLater() },
			walls:  []ablation.Wall{ablation.PIDs},
			with:   []ablation.Wall{ablation.Cgroup}, // what is left in a group the next run ends
		},
		{
			name: "a grandchild that holds the pipes", source: "codex bwrap_output_relay.rs: orphans keep the pipes alive",
			attack: func(args []string) error { return daemon(args, true) },
			arena:  func(a *Arena) { a.writesLater() },
			walls:  []ablation.Wall{ablation.PIDs},
			with:   []ablation.Wall{ablation.Cgroup}, // as above
		},
		{
			name: "past the deadline", source: "pi#7864, cargo-mutants PR#648: SIGTERM is ignored; timeout(1): without -k such a program stays",
			attack: func(args []string) error {
				signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGALRM)
				return whenLet(args[0])
			},
			arena: func(a *Arena) {
				a.Spec.Limits.Timeout = 100 * time.Millisecond
				a.writesLater()
			},
			walls: []ablation.Wall{ablation.Watch}, dies: true,
		},
		{
			name: "a chain of forks past the deadline", source: "kill loops that read a list of pids and race with fork; cgroup.kill(7)",
			attack: forkChain,
			arena: func(a *Arena) {
				a.Spec.Limits.Timeout = 100 * time.Millisecond
				a.writesLater()
			},
			walls: []ablation.Wall{ablation.Watch}, dies: true,
		},
		launcherDies("the launcher's death", "bubblewrap#633 #692 #700: PDEATHSIG and its races", func() error { return nil }),
		launcherDies("the launcher's death, with its signal cleared", "CVE-2007-3848: the signal of a parent's death; prctl(2), PR_SET_PDEATHSIG: whoever has it can clear it; it goes with setuid, too", func() error {
			return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)
		}),
	}
}

// launcherDies is a row for a program that goes on when its launcher was killed.
func launcherDies(name, source string, prepare func() error) Row {
	return Row{
		name: name, source: source,
		attack: func(args []string) error {
			if err := prepare(); err != nil {
				return err
			}
			return whenLet(args[0])
		},
		arena: func(a *Arena) {
			path := a.writesLater()
			a.dead = true
			a.during = func(caller *os.Process) {
				await(caller, func() bool { return exists(path + begun) })
				program := descendant(caller.Pid, path)
				caller.Kill()
				await(caller, func() bool { return false })
				// The box hears of that by itself.
				for killed := time.Now(); time.Since(killed) < a.lingers() && (program == 0 || !dead(program)); {
					time.Sleep(5 * time.Millisecond)
				}
				a.letWrite(caller, path)
			}
		},
		walls: []ablation.Wall{ablation.DeathSignal, ablation.Lifeline}, dies: true,
		with: []ablation.Wall{ablation.Cgroup}, // as above
	}
}

// daemon leaves a process of another session behind that writes to a file when it is
// let, and ends.
func daemon(args []string, pipes bool) error {
	if len(args) > 1 {
		return whenLet(args[0])
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1], args[0], "child")
	cmd.Args[0] = attackerName
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if pipes {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	return cmd.Start()
}

// forkChain hands over to a child every few milliseconds; one that is let write to the
// file does, and is the last. The program itself waits for all.
func forkChain(args []string) error {
	path, err := unix.BytePtrFromString(args[0])
	if err != nil {
		return err
	}
	mayWrite, err := unix.BytePtrFromString(args[0] + let)
	if err != nil {
		return err
	}
	if err := os.WriteFile(args[0]+begun, nil, 0o644); err != nil {
		return err
	}
	const links = 5000
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	for link := 0; ; link++ {
		pause := unix.Timespec{Nsec: 4_000_000} // the kernel counts it down
		pid, e := forkOne()
		if pid != 0 && link > 0 || e != 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(e), 0, 0) // handed over
		}
		if pid != 0 {
			break
		}
		unix.RawSyscall6(unix.SYS_PSELECT6, 0, 0, 0, 0, pointer(&pause), 0)
		cwd := unix.AT_FDCWD
		if _, _, e := unix.RawSyscall6(unix.SYS_FACCESSAT, uintptr(cwd), pointer(mayWrite), 0, 0, 0, 0); e == 0 || link == links {
			unix.RawSyscall6(unix.SYS_OPENAT, uintptr(cwd), pointer(path), unix.O_CREAT|unix.O_WRONLY, 0o644, 0, 0)
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err == unix.ECHILD {
			return nil
		}
	}
}
