package jail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A box of which somebody outside has killed a process while it waited is not used.
func TestPoolKilledWhileWaiting(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		whom func(pid int) []int
	}{
		{"PID 1, of one", 1, func(pid int) []int { return []int{pid} }},
		{"PID 1, of two", 2, func(pid int) []int { return []int{pid} }},
		{"what would be the program", 1, func(pid int) []int {
			return childrenIn("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(pid) + "/children")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPool(t, t.Context(), shell(""), c.size)
			first := inits(t)[0]
			fd, err := unix.PidfdOpen(first, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			kill(t, c.whom(first)...)
			for n, err := 0, error(unix.EINTR); n == 0 && err == unix.EINTR; {
				n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000)
			}
			for range 3 {
				res, err := p.Run(t.Context(), commandOf(shell("echo done")), IO{})
				if err != nil || !res.TreeEmpty {
					t.Errorf("%v: %s", err, text(res))
				}
				wantStdout(t, res, "done\n")
			}
			awaitReady(t, p, c.size) // in the place of the one that was killed as well
			wantStdout(t, runWarm(t, p, commandOf(shell("echo done")), IO{}), "done\n")
		})
	}
}

// Boxes that are killed at any moment of their lives: a run ends right, or says that
// its box was ended.
func TestPoolKilledAtAnyTime(t *testing.T) {
	p := newPool(t, t.Context(), shell(""), 4)
	stop, stopped := make(chan struct{}), make(chan struct{})
	var pause atomic.Int64 // between two kills; longer where no run got through
	pause.Store(int64(3 * time.Millisecond))
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(pause.Load())):
			}
			if pids := inits(t); len(pids) > 0 {
				unix.Kill(pids[len(pids)/2], unix.SIGKILL)
			}
		}
	}()
	fine := 0
	for i, until := 0, time.Now().Add(patience(time.Minute)); i < 150 || fine == 0 && time.Now().Before(until); i++ {
		res, err := p.Run(t.Context(), commandOf(shell("echo done")), IO{})
		var setup *SetupError
		switch {
		case res.Reason == ReasonOK && res.Stdout.Text == "done\n" && err == nil && res.TreeEmpty:
			fine++
		case res.OK || err != nil && !errors.As(err, &setup) || !res.TreeEmpty:
			t.Errorf("%v: %s", err, text(res))
		default:
			pause.Store(min(pause.Load()*11/10, int64(time.Second)))
		}
	}
	close(stop)
	<-stopped
	if fine == 0 {
		t.Error("no run got through")
	}
}

// poolSupervisor keeps two boxes waiting and one running, until it is killed.
func poolSupervisor() int {
	p, err := NewPool(context.Background(), shell(""), 3)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for len(p.ready) < 3 {
		time.Sleep(time.Millisecond)
	}
	p.Run(context.Background(), commandOf(shell(forkTree(os.Args[2]))), IO{Stdout: os.Stdout})
	return 0
}

// Nothing survives a supervisor that is killed: no box that runs, none that waits.
func TestPoolSupervisorKilled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := uniqueSleep()
	cmd := exec.Command(exe, insidePrefix+"pool supervisor", mark)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 100)
	if n, _ := out.Read(said); string(said[:n]) != "ready\n" {
		t.Fatalf("it says %q", said[:n])
	}
	family := descendants(cmd.Process.Pid)
	// Another box is made in the place of the one that runs, whose tree grows.
	for until := time.Now().Add(patience(20 * time.Second)); len(family) < 3*2+10 && time.Now().Before(until); family = descendants(cmd.Process.Pid) {
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if len(family) < 3*2+10 {
		t.Errorf("only %d processes: the test sees nothing", len(family))
	}
	for until := time.Now().Add(patience(20 * time.Second)); ; time.Sleep(10 * time.Millisecond) {
		left := sleepers(t, mark)
		for pid, start := range family {
			if startOf(pid) == start {
				left = append(left, strconv.Itoa(pid))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("survivors: %v", left)
		}
	}
}

// descendants are the processes below pid, with when each was started.
func descendants(pid int) map[int]ticks {
	all := map[int]ticks{}
	tasks, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	for _, task := range tasks {
		for _, child := range childrenIn("/proc/" + strconv.Itoa(pid) + "/task/" + task.Name() + "/children") {
			all[child] = startOf(child)
			for p, start := range descendants(child) {
				all[p] = start
			}
		}
	}
	return all
}

// startOf is when a process was started, or 0 if there is none.
func startOf(pid int) ticks {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	stat, _ := parseStat(b)
	return stat.start
}
