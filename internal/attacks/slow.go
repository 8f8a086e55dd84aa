package attacks

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// slow is what the owner of a process may do to it without a signal: PID 1 has
// the program's uid, and a box ends when PID 1 gets to run.
func slow() []Row {
	walls := []ablation.Wall{ablation.Seccomp}
	const last = 19
	return []Row{
		{
			name: "its turn", source: "sched(7), SCHED_IDLE; setpriority(2): behind a hundred loops PID 1 does not run",
			attack: func([]string) error { return idlePID1() }, control: InNaive, walls: walls,
		},
		{
			name: "its turn, as one of a user's", source: "setpriority(2), PRIO_USER; ioprio_set(2), IOPRIO_WHO_USER",
			attack: func([]string) error {
				unix.Setpriority(unix.PRIO_USER, os.Getuid(), last)
				nice, err := niceOfPID1()
				if err == nil && nice != last {
					err = fmt.Errorf("its nice value is %d", nice)
				}
				return err
			},
			control: InNaive, walls: walls,
			skip: func(Role) Reason {
				if own, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && 20-own == last {
					return noTurn
				}
				return ""
			},
		},
		{
			name: "its processors", source: "sched_setaffinity(2): onto the one that is busy",
			attack: func([]string) error {
				var one unix.CPUSet
				if err := unix.SchedGetaffinity(0, &one); err != nil {
					return err
				}
				for cpu := 0; one.Count() > 1; cpu++ {
					one.Clear(cpu)
				}
				return unix.SchedSetaffinity(1, &one)
			},
			control: InNaive, walls: walls,
		},
		{
			name: "its limits", source: "prlimit(2): RLIMIT_CPU ends it, for a second of reaping",
			attack: func([]string) error {
				return unix.Prlimit(1, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 3600, Max: 3600}, nil)
			},
			control: InNaive, walls: walls,
		},
		{
			name: "its clock", source: "timer_create(2), clock_getcpuclockid(3): timers that PID 1 has to see to",
			attack: func([]string) error {
				const clockOfPID1 = 1<<32 - 2<<3 | 2 // ^1<<3, and CPUCLOCK_SCHED
				var id int32
				_, err := rawSyscall(unix.SYS_TIMER_CREATE, uintptr(clockOfPID1), 0, pointer(&id))
				return err
			},
			control: InNaive, walls: walls,
		},
	}
}

func idlePID1() error {
	before, err := niceOfPID1()
	if err != nil {
		return err
	}
	var priority int32 // struct sched_param
	rawSyscall(unix.SYS_SCHED_SETSCHEDULER, 1, unix.SCHED_IDLE, pointer(&priority))
	unix.Setpriority(unix.PRIO_PROCESS, 1, 19)
	policy, err := rawSyscall(unix.SYS_SCHED_GETSCHEDULER, 1)
	if err != nil {
		return err
	}
	nice, err := niceOfPID1()
	if err != nil {
		return err
	}
	if policy != unix.SCHED_IDLE && (nice != 19 || nice == before) {
		return errors.New("it has its turn as before")
	}
	return nil
}

// niceOfPID1 is its nice value; the call itself answers 20 less that.
func niceOfPID1() (int, error) {
	answer, err := unix.Getpriority(unix.PRIO_PROCESS, 1)
	return 20 - answer, err
}
