package jail

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A keeper that somebody stops is continued when the box is to end.
func TestTier2KeeperIsStopped(t *testing.T) {
	for name, tt := range map[string]struct {
		cancel bool
		reason Reason
	}{"its time is over": {false, ReasonTimeout}, "canceled": {true, ReasonCanceled}} {
		t.Run(name, func(t *testing.T) {
			mark := uniqueSleep()
			s := tier2(t, detach+"detach sleep "+mark+" & echo up; sleep "+mark)
			s.Limits.Timeout = 2 * time.Second
			if tt.cancel {
				s.Limits.Timeout = time.Minute
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			keeper := make(chan int, 1)
			began := time.Now()
			res, err := RunIO(ctx, s, IO{Stdout: onWrite(func() {
				pid := keeperOf(t, mark)
				unix.Kill(pid, unix.SIGSTOP)
				keeper <- pid
				if tt.cancel {
					cancel()
				}
			})})
			took := time.Since(began)
			if err != nil || res.Reason != tt.reason || !res.TreeEmpty {
				t.Errorf("%v: %s", err, text(res))
			}
			if took > unhurried(8*time.Second, 8*time.Second) {
				t.Errorf("it took %v: %s", took, text(res))
			}
			if pid := <-keeper; unix.Kill(pid, 0) == nil {
				t.Errorf("the keeper %d is still there", pid)
			}
			if left := sleepers(t, mark); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// keeperOf is the keeper of the box with a process of that mark: the one that is
// this program's own child.
func keeperOf(t *testing.T, mark string) int {
	t.Helper()
	for range 100 {
		for _, path := range sleepers(t, mark) {
			for at := filepath.Base(filepath.Dir(path)); at != "" && at != "0"; {
				status, err := readSmall("/proc/" + at + "/status")
				if err != nil {
					break
				}
				parent := statusText(status).field("PPid")
				if parent == strconv.Itoa(unix.Getpid()) {
					pid, _ := strconv.Atoi(at)
					return pid
				}
				at = parent
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("there is no keeper")
	return 0
}

// What does not end by itself is killed with all that is below it, stopped or not.
func TestUproot(t *testing.T) {
	mark := uniqueSleep()
	cmd := exec.Command("/bin/sh", "-c", strings.ReplaceAll("sleep MARK & setsid sleep MARK & (sleep MARK & exec sleep MARK) & kill -STOP $$; wait", "MARK", mark))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for range 200 {
		if len(sleepers(t, mark)) == 4 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	r := newRun(t.Context(), shell("true"))
	r.uproot(&child{pid: cmd.Process.Pid, pidfd: fd})
	if !r.reaped {
		t.Error("it has not ended")
	}
	if left := sleepers(t, mark); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
