package jail

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Many at once get each its own result, warm or cold.
func TestPoolConcurrentRuns(t *testing.T) {
	const n, rounds = 64, 3
	s := shell("")
	s.Limits.Timeout = patience(time.Minute)
	p := newPool(t, t.Context(), s, 4)
	warm := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for range rounds {
				in := strings.NewReader(strconv.Itoa(i))
				res, err := p.Run(t.Context(), commandOf(shell(fmt.Sprintf("echo %d; cat; exit %d", i, i%3))), IO{Stdin: in})
				if err != nil || res.Stdout.Text != fmt.Sprintf("%d\n%d", i, i) || res.ExitCode == nil || *res.ExitCode != i%3 || !res.TreeEmpty {
					t.Errorf("run %d: %v, %s", i, err, text(res))
				}
				mu.Lock()
				if res.Warm {
					warm++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if warm < 4 {
		t.Errorf("%d of %d runs were warm", warm, n*rounds)
	}
}

// Close ends what waits and waits for what runs; it may be called by everybody, and
// runs after it are cold.
func TestPoolClose(t *testing.T) {
	p := newPool(t, t.Context(), shell(""), 3)
	results := make(chan Result, 2)
	begun := make(chan struct{}, 2)
	for range 2 {
		go func() {
			res, _ := p.Run(t.Context(), commandOf(shell("echo up; sleep 0.3; echo done")), IO{Stderr: nil, Stdout: onWrite(func() {
				select {
				case begun <- struct{}{}:
				default:
				}
			})})
			results <- res
		}()
		<-begun
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { p.Close() })
	}
	wg.Wait()
	if pids := inits(t); len(pids) > 0 {
		t.Errorf("Close left %v", pids)
	}
	for range 2 {
		select {
		case res := <-results:
			if res.Reason != ReasonOK || res.Stdout.Bytes != 8 || !res.Warm {
				t.Errorf("a run while Close was called: %s", text(res))
			}
		case <-time.After(patience(20 * time.Second)):
			t.Error("Close did not wait for what runs")
		}
	}
	p.Close()
	res, err := p.Run(t.Context(), commandOf(shell("echo done")), IO{})
	if err != nil || res.Warm {
		t.Errorf("a run after Close: warm %v, %v", res.Warm, err)
	}
	wantStdout(t, res, "done\n")
}

// Close while boxes are being made, taken and given back all the time.
func TestPoolCloseAtAnyTime(t *testing.T) {
	for i := range 12 {
		p, err := NewPool(t.Context(), shell(""), 3)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for range 4 {
					res, err := p.Run(t.Context(), commandOf(shell("echo done")), IO{})
					if err != nil || res.Stdout.Text != "done\n" || !res.TreeEmpty {
						t.Errorf("%v: %s", err, text(res))
					}
				}
			})
		}
		time.Sleep(time.Duration(i) * 3 * time.Millisecond)
		p.Close()
		wg.Wait()
	}
}

// The end of its context is the end of a Pool, but not of what runs.
func TestPoolContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPool(t, ctx, shell(""), 2)
	wantStdout(t, runWarm(t, p, commandOf(shell("echo up; sleep 0.1; echo done")), IO{Stdin: onRead(cancel)}), "up\ndone\n")
	p.boxes.Wait()
	if pids := inits(t); len(pids) > 0 {
		t.Errorf("left: %v", pids)
	}
	dead, err := NewPool(ctx, shell(""), 2)
	if err != nil {
		t.Fatal(err)
	}
	dead.boxes.Wait()
	res, err := dead.Run(t.Context(), commandOf(shell("echo done")), IO{})
	if err != nil || res.Warm {
		t.Errorf("a pool that is over before it begins: %v, warm %v", err, res.Warm)
	}
}

// onRead is an empty input that says when it is asked for.
type onRead func()

func (f onRead) Read([]byte) (int, error) {
	f()
	return 0, os.ErrClosed
}

// A Pool leaves nothing behind: no process, descriptor, goroutine, group or mount;
// nor more threads each time, which the runtime keeps for later.
func TestPoolNothingIsLeft(t *testing.T) {
	lives := []string{"unused", "used", "refused", "canceled"}
	const size = 4
	var lists []string
	once := func(life string) {
		s := shell("echo x")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if life == "refused" {
			s.Dir = "/nonexistent"
		}
		p, err := NewPool(ctx, s, size)
		if (err != nil) != (life == "refused") {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for _, pid := range inits(t) {
			lists = append(lists, groupLists(pid)...)
		}
		if life == "used" {
			for range 6 {
				p.Run(ctx, commandOf(s), IO{Stdin: endless{}})
				p.Run(ctx, Command{Args: []string{"/nonexistent"}}, IO{})
			}
		}
		if life == "canceled" {
			cancel()
		}
		p.Close()
	}
	mounts := func() int {
		b, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "\n")
	}
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(tasks)
	}
	for _, life := range lives {
		for range 2 {
			once(life)
		}
	}
	held, mounted, threaded := settled(t, holds(t)), mounts(), threads()
	for _, life := range lives {
		for range 6 {
			once(life)
		}
		if after := settled(t, held); after != held {
			t.Errorf("%s: holds %+v, and held %+v", life, after, held)
		}
	}
	if n := mounts(); n != mounted {
		t.Errorf("%d mounts, and there were %d", n, mounted)
	}
	// A busy machine takes some more; of each life one is 24.
	if n := threads(); n > threaded+20 {
		t.Errorf("%d threads, and there were %d", n, threaded)
	}
	for _, list := range lists {
		if _, err := os.Stat(filepath.Dir(list)); err == nil {
			t.Errorf("%s is left", filepath.Dir(list))
		}
	}
}

// So many boxes as a server may want stand ready, on a thread each.
func TestPoolLarge(t *testing.T) {
	if testing.Short() || runtime.NumCPU() > 64 {
		t.Skip("large")
	}
	const size = 60
	p := newPool(t, t.Context(), shell(""), size)
	for range 5 {
		wantStdout(t, runWarm(t, p, commandOf(shell("echo done")), IO{}), "done\n")
	}
}
