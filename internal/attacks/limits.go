package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// limits: using up what is everybody's. Every attack here is bounded by a
// count, so that its control harms nobody.
func limits() []Row {
	return []Row{
		{
			name: "fork bomb", source: "every judge's second test; nsjail#196",
			attack: func([]string) error { return forkMany(100) },
			arena:  func(a *Arena) { a.Spec.Limits.Pids = 40 },
			walls:  []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
		},
		{
			name: "memory bomb", source: "nono#1102; cgroup v1 and v2 memory controllers",
			attack: func([]string) error { return useMemory(96 << 20) },
			arena:  func(a *Arena) { a.Spec.Limits.Memory = 48 << 20 },
			walls:  []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
		},
		{
			name: "memory bomb by many processes", source: "go-judge README: limits that are not in force",
			attack: func([]string) error { return useMemoryInChildren(6, 16<<20) },
			arena:  func(a *Arena) { a.Spec.Limits.Memory = 48 << 20 },
			walls:  []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
		},
		{
			name: "memory bomb in /tmp", source: "moby#39004: tmpfs pages that nobody is charged for",
			attack: func(args []string) error { return fill(filepath.Join(args[0], "bomb"), 96<<20) },
			arena: func(a *Arena) {
				a.Spec.Limits.Memory, a.Spec.Limits.TmpSize = 48<<20, 128<<20
				a.Args(a.scratch())
			},
			harmsBare: "it writes 96 MB to the host's disk",
			walls:     []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
		},
		{
			name: "more than one's share of the processors", source: "cgroup cpu controller; sandlock's SIGSTOP throttle",
			attack: func([]string) error {
				return spin(2, 150*time.Millisecond)
			},
			arena: func(a *Arena) {
				const share = 0.2
				a.Spec.Limits.CPUs = share
				a.effect = func(got Answer) error {
					use := got.Result.Usage
					if ms := use.CPUThrottledMS; ms != nil && *ms > 0 {
						return fmt.Errorf("it was held up for %d ms", *ms)
					}
					// On a machine that is busy nobody need hold it up.
					if capped := a.where.boxed() && len(a.off) == 0; capped && use.CPUUserMS != nil && float64(*use.CPUUserMS) < share*float64(use.WallMS) {
						return errors.New("it had no more than its share")
					}
					return nil
				}
			},
			walls: []ablation.Wall{ablation.Cgroup}, skip: needsGroup,
		},
		{
			name: "processor time in many processes", source: "isolate --cg-timing: RLIMIT_CPU is each process's own",
			attack: func([]string) error {
				err := spin(5, 120*time.Millisecond)
				time.Sleep(noticing)
				return err
			},
			arena: func(a *Arena) {
				a.Spec.Limits.CPUTime, a.Spec.Limits.CPUs = 250*time.Millisecond, 2
				a.endsWith(jail.ReasonCPUTime)
			},
			loosen: func(l *jail.Limits) { l.CPUTime = 3 * time.Second }, skip: needsGroup, dies: true,
		},
		{
			name: "lift the backstop on processor time", source: "setrlimit(2), RLIMIT_CPU: all there is where there is no group",
			attack: func([]string) error {
				return unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: 3600, Max: 3600})
			},
			walls: []ablation.Wall{ablation.Rlimits},
		},
		{
			name: "output flood", source: "leviath PR#287; vellum PR#41748; zero#469",
			attack: func([]string) error {
				line := strings.Repeat("x", 1023) + "\n"
				for range 2048 {
					if _, err := os.Stdout.WriteString(line); err != nil {
						return err
					}
				}
				return nil
			},
			arena:  func(a *Arena) { a.Spec.Limits.Output = 64 << 10 },
			loosen: func(l *jail.Limits) { l.Output = 4 << 20 }, dies: true,
		},
		{
			name: "fill /tmp", source: "systemd PR#15424: a limit of size for every tmpfs; tmpfs(5), size",
			attack: func(args []string) error { return fill(filepath.Join(args[0], "bomb"), 8<<20) },
			arena: func(a *Arena) {
				a.Spec.Limits.TmpSize = 1 << 20
				a.Args(a.scratch())
			},
			loosen: func(l *jail.Limits) { l.TmpSize = 16 << 20 },
		},
		{
			name: "use up /tmp's inodes", source: "snekbox#187; systemd PR#15424: inodes count in no size; tmpfs(5), nr_inodes",
			attack: func(args []string) error {
				for i := range 3000 {
					if err := os.WriteFile(filepath.Join(args[0], strconv.Itoa(i)), nil, 0o600); err != nil {
						return err
					}
				}
				return nil
			},
			arena: func(a *Arena) {
				a.Spec.Limits.TmpSize = 1 << 20
				a.Args(a.scratch())
			},
			loosen: func(l *jail.Limits) { l.TmpSize = 16 << 20 },
		},
		{
			name: "a huge file in a writable grant", source: "cms-dev/cms#309: a solution that fills the judge's disk; setrlimit(2), RLIMIT_FSIZE",
			attack: func(args []string) error { return fill(filepath.Join(args[0], "bomb"), 4<<20) },
			arena: func(a *Arena) {
				a.Spec.Limits.FileSize = 1 << 20
				a.Args(a.RW())
			},
			walls: []ablation.Wall{ablation.Rlimits}, dies: true,
		},
		{
			name: "descriptor flood", source: "INGInious#809, gvisor#6547: until the host could open none; setrlimit(2), RLIMIT_NOFILE; fs.file-max is the host's",
			attack: func([]string) error {
				var top unix.Rlimit
				unix.Getrlimit(unix.RLIMIT_NOFILE, &top)
				unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1024, Max: max(top.Max, 1024)})
				for range 500 {
					if _, err := unix.Dup(1); err != nil {
						return err
					}
				}
				return nil
			},
			arena: func(a *Arena) { a.Spec.Limits.NoFile = 128 },
			walls: []ablation.Wall{ablation.Rlimits},
		},
		{
			name: "locked memory", source: "setrlimit(2), RLIMIT_MEMLOCK",
			attack: func([]string) error { return unix.Mlock(make([]byte, 1<<20)) },
			walls:  []ablation.Wall{ablation.Rlimits},
		},
		{
			name: "core dump into a grant", source: "CVE-2006-2451: a core dump in a folder of others; systemd#2643; core(5): memory of the box written by the kernel, on the host's disk",
			attack: func(args []string) error {
				if err := os.Chdir(args[0]); err != nil {
					return err
				}
				var limit unix.Rlimit
				unix.Getrlimit(unix.RLIMIT_CORE, &limit)
				unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: limit.Max, Max: limit.Max})
				return crashChild()
			},
			arena: func(a *Arena) {
				dir := a.RW()
				a.Args(dir)
				a.effect = func(Answer) error {
					cores, _ := filepath.Glob(filepath.Join(dir, "core*"))
					if len(cores) == 0 {
						return errors.New("there is no core file")
					}
					return nil
				}
			},
			walls: []ablation.Wall{ablation.Rlimits, ablation.Seccomp},
			skip: func(Role) Reason {
				pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
				var limit unix.Rlimit
				unix.Getrlimit(unix.RLIMIT_CORE, &limit)
				if err != nil || strings.TrimSpace(string(pattern)) != "core" || limit.Max <= 1 {
					return noCores
				}
				return ""
			},
		},
	}
}

// noticing is what whoever watches a box has to notice that it has had more than it
// may: what watches has to have its turn.
const noticing = 3 * time.Second

// scratch is a folder to fill: the box's /tmp, and without a box one of the
// caller's.
func (a *Arena) scratch() string {
	if a.where.boxed() {
		return "/tmp"
	}
	return a.Folder("scratch")
}

// crashChild has a copy of this program die of a signal that dumps core.
func crashChild() error {
	return inChildProcess(func() error {
		var byDefault [32]byte // struct sigaction of the kernel: the runtime has set its own
		unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGQUIT), pointer(&byDefault), 0, 8, 0, 0)
		pid, _, _ := unix.RawSyscall(unix.SYS_GETPID, 0, 0, 0)
		return sys(unix.SYS_KILL, pid, uintptr(unix.SIGQUIT))
	}, 0)(nil)
}
