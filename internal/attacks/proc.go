package attacks

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// procfs: what /proc tells of the host, and the knobs in it.
func procfs() []Row {
	return []Row{
		{
			name: "read the caller's list of keys", source: "keyrings(7); runc masks /proc/keys",
			attack: func([]string) error { return show("/proc/keys") },
			arena: func(a *Arena) {
				a.key = a.secret
				a.effect = func(got Answer) error {
					if strings.Contains(got.Stdout, keyName) {
						return nil
					}
					return errors.New("the caller's key is not listed")
				}
			},
			walls: []ablation.Wall{ablation.ProcSubset},
			root:  []ablation.Wall{ablation.OwnUID}, // the list leaves out keys of ids that are not mapped
			skip:  needsKeys,
		},
		{
			name: "command line of a host process", source: "measured on bubblewrap with a bound /proc; bazel#1972",
			attack: func(args []string) error { return show("/proc/" + args[0] + "/cmdline") },
			arena: func(a *Arena) {
				a.Args(strconv.Itoa(a.victim(a.secret)))
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.Root},
		},
		{
			name: "kill a host process", source: "nono#207: kill of a host process; pid_namespaces(7); Landlock scope, ABI 6",
			attack: func(args []string) error {
				pid, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				return unix.Kill(pid, unix.SIGKILL)
			},
			arena: func(a *Arena) {
				pid := a.victim("sleeps")
				a.Args(strconv.Itoa(pid))
				a.effect = func(Answer) error { return a.gone(func() bool { return dead(pid) }) }
			},
			walls: []ablation.Wall{ablation.PIDs, ablation.Landlock}, landlock: abiScopes,
			root: []ablation.Wall{ablation.OwnUID},
		},
		{
			name: "write a sysctl", source: "measured on bubblewrap run by root: /proc/sys is writable",
			// The name is that of the uts namespace one is in.
			attack: func([]string) error {
				if err := overwrite("/proc/sys/kernel/domainname", 0); err != nil {
					return err
				}
				var name unix.Utsname
				if err := unix.Uname(&name); err != nil {
					return err
				}
				if unix.ByteSliceToString(name.Domainname[:]) != "OWNED" {
					return errors.New("the name is as it was")
				}
				return nil
			},
			control: InNaive,
			walls:   []ablation.Wall{ablation.Root, ablation.Landlock},
			root:    []ablation.Wall{ablation.OwnUID},
			skip:    forRoot(rootsOwn),
		},
		{
			name: "pull the kernel's emergency lever", source: "sysrq(7); runc masks /proc/sysrq-trigger",
			// "h" prints a line of help into the kernel's log.
			attack: func([]string) error {
				lever, err := os.OpenFile("/proc/sysrq-trigger", os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				_, err = lever.WriteString("h")
				return err
			},
			walls: []ablation.Wall{ablation.Root, ablation.Landlock},
			root:  []ablation.Wall{ablation.OwnUID},
			harms: "it writes into the kernel's log",
			skip: func(who Role) Reason {
				if _, err := os.Stat("/proc/sysrq-trigger"); err != nil {
					return noHardware
				}
				return forRoot(rootsOwn)(who)
			},
		},
	}
}

// hostFiles tell about the host and what others do on it.
func hostFiles() []Row {
	return []Row{
		hostFile("memory", "/proc/meminfo"),
		hostFile("processors", "/proc/cpuinfo"),
		hostFile("kernel command line", "/proc/cmdline"),
		hostFile("kernel symbols", "/proc/kallsyms"),
		hostFile("kernel version", "/proc/version"),
		hostFile("load and number of processes", "/proc/loadavg"),
		hostFile("interrupts, which tell keys typed", "/proc/interrupts"),
		hostFile("modules", "/proc/modules"),
		hostFile("disks", "/proc/diskstats"),
		hostFile("how long the host is up", "/proc/uptime"),
		hostFile("when the host was started", "/proc/stat"),
		hostFile("the id of this start", "/proc/sys/kernel/random/boot_id"),
		hostFile("how many files are open", "/proc/sys/fs/file-nr"),
		hostFile("users of key rings", "/proc/key-users"),
		hostFile("pressure of others", "/proc/pressure/cpu"),
	}
}

// hostFile is a row for a file of /proc that tells about the host.
func hostFile(what, path string) Row {
	return Row{
		name: "read " + what, source: "runc's and podman's masked paths; proc(5), subset=pid",
		attack: func([]string) error {
			content, err := os.ReadFile(path)
			if err == nil && len(content) == 0 {
				err = errors.New("it is empty")
			}
			return err
		},
		walls: []ablation.Wall{ablation.ProcSubset},
		skip: func(Role) Reason {
			if _, err := os.Stat(path); err != nil {
				return noHardware
			}
			return ""
		},
	}
}

// victim starts a process of the caller's that sleeps, with a word in its
// command line.
func (a *Arena) victim(word string) int {
	a.t.Helper()
	cmd := exec.Command("sleep", "30")
	cmd.Args[0] = word
	cmd.SysProcAttr = a.credential()
	if err := cmd.Start(); err != nil {
		a.t.Fatal(fmt.Errorf("victim: %w", err))
	}
	a.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}
