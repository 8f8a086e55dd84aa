package jail

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// groups are the cgroups of runs of this name.
func groups(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "jail-"+name) {
			out = append(out, path)
		}
		return nil // a group that went meanwhile is none
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// held is what this process holds.
type held struct{ fds, goroutines, children int }

func holds(t *testing.T) held {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	children := 0
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		children += len(strings.Fields(string(b)))
	}
	return held{len(fds), runtime.NumGoroutine(), children}
}

// A run leaves nothing behind, however it ends: no descriptor, goroutine,
// process (a zombie neither) and group.
func TestNothingIsLeft(t *testing.T) {
	stop, cancel := context.WithCancel(context.Background())
	cancel()
	endings := map[string]func(s *Spec) (context.Context, IO){
		"ok": func(*Spec) (context.Context, IO) { return context.Background(), IO{} },
		"input and output": func(*Spec) (context.Context, IO) {
			return context.Background(), IO{Stdin: endless{}, Stdout: new(counter)}
		},
		"timeout": func(s *Spec) (context.Context, IO) {
			s.Args[2], s.Limits.Timeout, s.Limits.CPUTime = "exec sleep 20", 15*time.Millisecond, time.Second
			return context.Background(), IO{}
		},
		"canceled": func(*Spec) (context.Context, IO) { return stop, IO{} },
		"too much output": func(s *Spec) (context.Context, IO) {
			s.Args[2], s.Limits.Output = "yes", 10
			return context.Background(), IO{}
		},
		"refused": func(s *Spec) (context.Context, IO) { s.Limits.Pids = 1; return context.Background(), IO{} },
		"refused in the box": func(s *Spec) (context.Context, IO) {
			s.Dir = "/nonexistent"
			return context.Background(), IO{Stdin: endless{}}
		},
		"not found": func(s *Spec) (context.Context, IO) {
			s.Args[0] = "/nonexistent"
			return context.Background(), IO{}
		},
		"explained": func(s *Spec) (context.Context, IO) { return nil, IO{} },
	}
	once := func(ending func(s *Spec) (context.Context, IO)) {
		s := shell("echo x")
		s.Name = "TestNothingIsLeft"
		if ctx, io := ending(&s); ctx != nil {
			RunIO(ctx, s, io)
		} else if _, err := Explain(s); err != nil {
			t.Error(err)
		}
	}
	for _, ending := range endings { // what the runtime makes once
		once(ending)
	}
	for name, ending := range endings {
		before := settled(t, holds(t))
		for range 12 {
			once(ending)
		}
		if after := settled(t, before); after != before {
			t.Errorf("%s: holds %+v, and held %+v before 12 runs", name, after, before)
		}
		if left := groups(t, "TestNothingIsLeft"); len(left) > 0 {
			t.Errorf("%s: left behind %q", name, left)
		}
	}
}

// settled waits for goroutines that are on their way out.
func settled(t *testing.T, like held) held {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); holds(t) != like && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	return holds(t)
}
