package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// neighbours: one box of a caller's against another. The victim is a box, too,
// with the same walls as the attacker's.
func neighbours() []Row {
	return []Row{
		{
			name: "what the other has in /tmp", source: "isolate 2.6: boxes shared /dev/shm and /tmp",
			attack: func(args []string) error { return show(args[0]) },
			arena:  func(a *Arena) { a.neighbour("/tmp"); a.leaksSecret() },
			walls:  hostWalls,
		},
		{
			name: "what the other has in /dev/shm", source: "isolate 2.6: boxes shared /dev/shm and /tmp",
			attack: func(args []string) error { return show(args[0]) },
			arena:  func(a *Arena) { a.neighbour("/dev/shm"); a.leaksSecret() },
			walls:  hostWalls,
		},
		{
			name: "kill the other", source: "dify-sandbox#252: boxes of one uid; kill(2)",
			attack: func(args []string) error {
				pid, err := strconv.Atoi(args[1])
				if err != nil {
					return err
				}
				return unix.Kill(pid, unix.SIGKILL)
			},
			arena: func(a *Arena) {
				pid := a.neighbour("/tmp")
				if pid == 0 {
					a.t.Fatal("the program of the other box is nowhere below its caller")
				}
				a.effect = func(Answer) error { return a.gone(func() bool { return dead(pid) }) }
			},
			walls: []ablation.Wall{ablation.PIDs, ablation.Landlock}, landlock: abiScopes,
			root: rootsUID,
		},
	}
}

// neighbourMain is the victim: it keeps the secret in a file for a while. In a box
// of tier 2 there is one folder for it, whose name is no other box's.
func neighbourMain(args []string) error {
	if private := os.Getenv("TMPDIR"); private != "" {
		args[0] = filepath.Join(private, filepath.Base(args[0]))
	}
	if err := os.WriteFile(args[0], []byte(args[1]), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(args[2], nil, 0o644); err != nil {
		return err
	}
	for range 2000 {
		time.Sleep(10 * time.Millisecond)
		if _, err := os.Stat(args[2]); err != nil {
			break // nobody needs us any more
		}
	}
	return os.Remove(args[0])
}

// neighbour starts a box of the same caller's and of the same tier, and returns its
// program's pid on the host: 0 if it has ended, as it does where the walls that are
// left keep it from its own folder. The attack's args are the victim's file and pid.
func (a *Arena) neighbour(folder string) int {
	a.t.Helper()
	file := filepath.Join(folder, "jail-escape-"+filepath.Base(a.dir))
	a.t.Cleanup(func() { os.Remove(file) }) // should the victim be killed
	var ended sync.WaitGroup
	victim := NewArena(a.t, Row{name: neighbourRow}, a.role, a.where, a.off)
	ready := filepath.Join(victim.RW(), "ready")
	victim.Args(file, a.secret, ready)
	if a.role.Tier == jail.Tier2 {
		victim.fitTier2()
	}
	pid := make(chan int, 1)
	victim.during = func(caller *os.Process) {
		await(caller, func() bool { return exists(ready) })
		pid <- descendant(caller.Pid, ready)
	}
	ended.Add(1)
	go func() { defer ended.Done(); victim.Run() }()
	n := <-pid
	a.t.Cleanup(func() { os.Remove(ready); ended.Wait() }) // before what the victim's run has opened closes
	if private, _ := filepath.Glob(filepath.Join(victim.dir, "tmp", "*", filepath.Base(file))); len(private) > 0 {
		file = private[0]
	} else if a.role.Tier == jail.Tier2 {
		a.t.Fatalf("the other box, of tier 2, has not come up: nothing lies in %s", victim.dir)
	}
	a.Args(file, strconv.Itoa(n))
	return n
}

// gone is nil when a process has soon ended, or in time where it must.
func (a *Arena) gone(is func() bool) error {
	soon := 50 * time.Millisecond
	if a.wins {
		soon = inTime
	}
	for until := time.Now().Add(soon); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if is() {
			return nil
		}
	}
	return errors.New("the process is alive")
}

// neighbourRow is the name under which the victim is started.
const neighbourRow = "neighbour"

// descendant is the process below pid that has arg among its arguments, or 0: a
// pool makes the next box while a program runs in the last one, so being below is
// not enough.
func descendant(pid int, arg string) int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, c := range strings.Fields(string(children)) {
			if line, _ := os.ReadFile(filepath.Join("/proc", c, "cmdline")); slices.Contains(strings.Split(string(line), "\x00"), arg) {
				n, _ := strconv.Atoi(c)
				return n
			}
			n, _ := strconv.Atoi(c)
			if found := descendant(n, arg); found != 0 {
				return found
			}
		}
	}
	return 0
}

func owner(info os.FileInfo) (uid, gid int) {
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid)
}
