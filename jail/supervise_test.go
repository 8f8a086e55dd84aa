package jail

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// running are the processes of the host whose command line holds this mark.
func running(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), mark) {
			out = append(out, f+": "+strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return out
}

// forkTree is a program that leaves processes in every way there is: children,
// orphans, sessions of their own, deaf to every signal that can be caught. Its
// sleeps have a length that tells them apart.
func forkTree(length string) string {
	return fmt.Sprintf(`for i in 1 2 3 4 5; do
		sleep %[1]s &
		setsid sleep %[1]s &
		(setsid sh -c 'trap "" HUP INT TERM QUIT; sleep %[1]s & sleep %[1]s' &)
	done
	echo ready
	trap "" HUP INT TERM QUIT
	sleep %[1]s`, length)
}

// Whatever ends a box ends all of it: no process is left, and the group is
// gone.
func TestWholeTreeEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		reason Reason
		change func(*Spec)
		cancel bool
	}{
		{"deadline", ReasonTimeout, func(s *Spec) { s.Limits.Timeout = unhurried(5*time.Second, time.Second) }, false},
		{"caller", ReasonCanceled, func(*Spec) {}, true},
		{"output", ReasonOutputTooLarge, func(s *Spec) {
			s.Limits.Output = 6
			s.Args[2] = strings.Replace(s.Args[2], "echo ready", "echo ready; read x; echo more", 1)
		}, false},
		{"the program itself", ReasonExecutionFailed, func(s *Spec) {
			s.Args[2] = strings.Replace(s.Args[2], "trap \"\" HUP INT TERM QUIT\n", "read x; exit 1\n", 1)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			length := fmt.Sprintf("%d.%d", 70+len(c.name), os.Getpid())
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := shell(forkTree(length))
			s.Name = "TestWholeTreeEnds"
			c.change(&s)
			var seen []string
			in, looked := io.Pipe() // the program goes on when it has been seen
			out := &screen{on: map[string]func(){"r": func() {
				seen = running(t, length)
				looked.Close()
				if c.cancel {
					cancel()
				}
			}}}
			began := time.Now()
			res, err := RunIO(ctx, s, IO{Stdin: in, Stdout: out})
			if err != nil || !res.TreeEmpty {
				t.Errorf("%v: %s", err, text(res))
			}
			want(t, res, c.reason)
			if took := time.Since(began); took > patience(25*time.Second) {
				t.Errorf("it took %v", took)
			}
			if len(seen) < 5 {
				t.Errorf("only %q ran: the test sees nothing", seen)
			}
			if left := running(t, length); len(left) > 0 {
				t.Errorf("left running: %q", left)
			}
			if left := groups(t, s.Name); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// A caller that has given up before it began gets a record, and nothing ran.
func TestCanceledBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := Run(ctx, shell("echo ran"))
	want(t, res, ReasonCanceled)
	if err != nil || res.Stdout.Bytes != 0 || res.ExitCode != nil || res.Signal != nil || !res.TreeEmpty {
		t.Errorf("%v: %s", err, text(res))
	}
}

// A deadline of the context is the caller's, not the box's.
func TestContextDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	res, err := Run(ctx, shell("exec sleep 20"))
	if err != nil {
		t.Error(err)
	}
	want(t, res, ReasonCanceled)
}

// However early the end comes there is a record of it, and nothing is left.
func TestCanceledAtAnyTime(t *testing.T) {
	for i := range 40 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*150*time.Microsecond)
		s := shell("exec sleep 20")
		s.Name = t.Name()
		res, err := Run(ctx, s)
		cancel()
		if res.Reason != ReasonCanceled || err != nil || !res.TreeEmpty {
			t.Errorf("canceled after %v: %v, %s", time.Duration(i)*150*time.Microsecond, err, text(res))
		}
	}
	if left := groups(t, t.Name()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The same for the box's own deadline.
func TestTimeoutAtAnyTime(t *testing.T) {
	for i := range 10 {
		s := shell("exec sleep 20")
		s.Limits.Timeout, s.Limits.CPUTime = time.Duration(i+1)*time.Millisecond, time.Second
		res, err := Run(context.Background(), s)
		if res.Reason != ReasonTimeout || err != nil || !res.TreeEmpty {
			t.Errorf("timeout of %v: %v, %s", s.Limits.Timeout, err, text(res))
		}
	}
}

// Run is safe from many goroutines: every run has its own output, group and
// end.
func TestConcurrentRuns(t *testing.T) {
	const n, atOnce = 100, 16
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s := shell(fmt.Sprintf("echo %d; exit %d", i, i%3))
			s.Limits.Timeout = patience(time.Minute)
			res, err := Run(context.Background(), s)
			if err != nil || res.Stdout.Text != fmt.Sprintln(i) || res.ExitCode == nil || *res.ExitCode != i%3 || !res.TreeEmpty {
				t.Errorf("run %d: %v, %s", i, err, text(res))
			}
		})
	}
	wg.Wait()
}
