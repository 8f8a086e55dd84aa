package soak

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A machine is what a test must leave as it was.
type machine struct {
	fds        []string // of this process, and what is behind them
	mounts     []string // of this mount namespace
	goroutines int
	rss        int64 // bytes of this process
}

func look(t *testing.T) machine {
	t.Helper()
	debug.FreeOSMemory()
	m := machine{goroutines: runtime.NumGoroutine(), rss: resident(t)}
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		// The descriptor that ReadDir itself had is gone.
		if target, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil {
			m.fds = append(m.fds, n.Name()+" "+target)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	m.mounts = strings.Split(strings.TrimSpace(string(mounts)), "\n")
	return m
}

func resident(t *testing.T) int64 {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// sameAs compares the machine with what it was, and looks for what runs with
// the label left behind: processes, cgroups, files.
func (was machine) sameAs(t *testing.T, label string) {
	t.Helper()
	if alive := survivors(label, settleTime); len(alive) > 0 {
		t.Errorf("processes left behind: %v", alive)
	}
	if left := leaves(t, label); len(left) > 0 {
		t.Errorf("cgroups left behind: %v", left)
	}
	if left := leftFiles(t, label); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
	for deadline := time.Now().Add(settleTime); runtime.NumGoroutine() > was.goroutines && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	is := look(t)
	if is.goroutines > was.goroutines {
		t.Errorf("%d goroutines, were %d", is.goroutines, was.goroutines)
	}
	if more := added(was.fds, is.fds); len(more) > 0 {
		t.Errorf("descriptors left open: %q", more)
	}
	if more := added(was.mounts, is.mounts); len(more) > 0 {
		t.Errorf("mounts left behind: %q", more)
	}
	if more := added(is.mounts, was.mounts); len(more) > 0 {
		t.Errorf("mounts taken away: %q", more)
	}
	t.Logf("resident: %d KiB before, %d KiB after", was.rss/kib, is.rss/kib)
	if is.rss > was.rss+rssGrowth {
		t.Errorf("resident memory grew from %d to %d bytes, want at most %d more", was.rss, is.rss, int64(rssGrowth))
	}
}

// settleTime is how long what was ended may take to be gone.
const settleTime = 20 * time.Second

// added lists what is in is and not in was.
func added(was, is []string) (more []string) {
	for _, s := range is {
		if !slices.Contains(was, s) {
			more = append(more, s)
		}
	}
	return more
}

// leaves lists the cgroups of the label, in every hierarchy that is mounted.
func leaves(t *testing.T, label string) (found []string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(mounts)) {
		before, after, ok := strings.Cut(l, " - ")
		if !ok || !strings.HasPrefix(after, "cgroup") {
			continue
		}
		// Groups come and go while others run boxes here.
		filepath.WalkDir(strings.Fields(before)[4], func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			if d.IsDir() && strings.Contains(d.Name(), label) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// leftFiles lists what is in our TMPDIR, and what has the label in its name in
// /tmp, where a program would find itself if its own /tmp were not private.
func leftFiles(t *testing.T, label string) (left []string) {
	t.Helper()
	for _, dir := range []string{os.Getenv("TMPDIR"), "/tmp"} {
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if dir != "/tmp" || strings.Contains(n.Name(), label) {
				left = append(left, filepath.Join(dir, n.Name()))
			}
		}
	}
	return left
}

// survivors waits until nothing that this process or its runs started is alive,
// for at most so long, and lists what still is. It looks in two ways: down from
// this process, which adopts what lost its parent, and for the label in the
// arguments of every process there is.
func survivors(label string, patience time.Duration) []string {
	quiet := 0
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		alive := processes(label)
		if len(alive) > 0 && time.Now().After(deadline) {
			return alive
		}
		// A list of processes is no snapshot: twice is sure enough.
		if quiet++; len(alive) > 0 {
			quiet = 0
		}
		if quiet == 2 {
			return nil
		}
	}
}

// processes lists them once, and reaps the dead that this process adopted.
func processes(label string) (alive []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []string{err.Error()}
	}
	parents, lines := map[int]int{}, map[int]string{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		parent, state, err := status(pid)
		if err != nil {
			continue
		}
		if state == 'Z' && parent == os.Getpid() {
			unix.Wait4(pid, nil, unix.WNOHANG, nil)
			continue
		}
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		parents[pid], lines[pid] = parent, fmt.Sprintf("%d (parent %d, %c): %s", pid, parent, state, strings.ReplaceAll(string(command), "\x00", " "))
	}
	for pid, line := range lines {
		if pid != os.Getpid() && (below(pid, parents) || strings.Contains(line, label)) {
			alive = append(alive, line)
		}
	}
	return alive
}

// below says whether pid descends from this process.
func below(pid int, parents map[int]int) bool {
	for ; pid > 1; pid = parents[pid] {
		if parents[pid] == os.Getpid() {
			return true
		}
	}
	return false
}

// status reads the parent and the state of a process (proc_pid_stat in proc(5)).
func status(pid int) (parent int, state byte, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	// The name, in parentheses, may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0, 0, errors.New("short stat")
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[0][0], err
}
