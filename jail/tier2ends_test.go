package jail

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// detach leaves the session where that is allowed.
const detach = `detach() { setsid "$@" 2>/dev/null || "$@"; }; `

// endings are trees that have to be ended as a whole. Each says "up" when it
// stands, and would go on for ever.
var endings = map[string]string{
	"a daemon":                         "detach sleep MARK >/dev/null 2>&1 & echo up; wait",
	"a daemon that forked twice":       "(detach sh -c 'sleep MARK & exec sleep MARK' >/dev/null 2>&1 &) ; echo up; exec sleep MARK",
	"what ignores every signal":        "trap '' HUP INT TERM QUIT USR1 USR2 ALRM; sleep MARK & echo up; while :; do sleep MARK; done",
	"what is stopped":                  "sleep MARK & kill -STOP $!; echo up; kill -STOP $$",
	"what holds the output":            "detach sleep MARK & echo up; wait",
	"a chain in which each forks anew": "f() { sleep 0.01; f & }; f; echo up; sleep MARK",
	"a subreaper of the box's own":     "SUBREAPER",
	"many at once":                     "for i in $(seq 25); do detach sleep MARK & done; echo up; wait",
	"one whose program is long gone":   "detach sleep MARK & echo up; exit 0",
	"a fork bomb, bounded":             "b() { b | b & }; b 2>/dev/null; echo up; sleep MARK",
}

// The whole tree ends, when the caller says so and when the program ends; also where
// Landlock has no scope, and uids or the process group have to do.
func TestTier2WholeTreeEnds(t *testing.T) {
	t.Run("scope", func(t *testing.T) { wholeTreesEnd(t, t.Context()) })
	t.Run("none", func(t *testing.T) { wholeTreesEnd(t, ablation.Without(t.Context(), ablation.Scope)) })
}

func wholeTreesEnd(t *testing.T, ctx context.Context) {
	for name, script := range endings {
		t.Run(name, func(t *testing.T) {
			mark := uniqueSleep()
			s := tier2(t, detach+strings.ReplaceAll(script, "MARK", mark))
			if script == "SUBREAPER" {
				s = subreaper(t, mark)
			}
			s.Limits.Timeout, s.Limits.Pids = patience(time.Minute), 80
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			var up time.Time
			res, err := RunIO(ctx, s, IO{Stdout: onWrite(func() {
				if up.IsZero() {
					up = time.Now()
					time.AfterFunc(100*time.Millisecond, cancel)
				}
			})})
			if err != nil || !res.TreeEmpty {
				t.Errorf("%v: %s", err, text(res))
			}
			if took := time.Since(up); took > patience(15*time.Second) { // and not the years that they sleep
				t.Errorf("it took %v: %s", took, text(res))
			}
			if left := sleepers(t, mark); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// subreaper is a box whose program makes itself the subreaper of its own orphans.
func subreaper(t *testing.T, mark string) Spec {
	s := tier2(t, "")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(os.TempDir(), "inside")
	if err := copyFile(copied, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Args = []string{copied, insidePrefix + "subreaper", mark}
	s.View = append(s.View, Mount{Kind: MountRO, Source: copied, Target: copied})
	return s
}

func subreaperInside() int {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	mark := os.Args[2]
	if err := exec.Command("/bin/sh", "-c", detach+"(detach sleep "+mark+" &) ; (sleep "+mark+" &)").Run(); err != nil {
		return 1
	}
	os.Stdout.WriteString("up\n")
	time.Sleep(time.Minute)
	return 0
}

// uniqueSleep is a time for sleep(1) by which its processes are found again.
func uniqueSleep() string { return "3" + strconv.FormatInt(time.Now().UnixNano()%1_000_000_000, 10) }

// sleepers are the processes of the host with mark on their command line.
func sleepers(t *testing.T, mark string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if line, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(line), "sleep\x00"+mark) {
			pids = append(pids, path)
		}
	}
	return pids
}

// killedSupervisor runs a box of tier 2 from a process of its own, which the test
// kills.
func killedSupervisor() int {
	s := shell(detach + "detach sleep " + os.Args[2] + " >/dev/null 2>&1 & sleep " + os.Args[2] + " & echo up; wait")
	s.Tier = Tier2
	RunIO(context.Background(), s, IO{Stdout: os.Stdout})
	return 0
}

// Nothing survives a supervisor that is killed, and the next run clears away the
// folder that it left.
func TestTier2SupervisorKilled(t *testing.T) {
	needTier2(t)
	dir := ownTemp(t)
	mark := uniqueSleep()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, insidePrefix+"tier2 supervisor", mark)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(make([]byte, 8)); n == 0 {
		t.Fatal("no box came up:", err)
	}
	for until := time.Now().Add(patience(20 * time.Second)); len(sleepers(t, mark)) != 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the tree does not stand")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	for until := time.Now().Add(patience(20 * time.Second)); len(sleepers(t, mark)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("survivors: %v", sleepers(t, mark))
		}
	}
	left, _ := filepath.Glob(dir + "/" + privatePrefix + "*")
	if len(left) != 1 {
		t.Fatalf("its folders: %v", left)
	}
	r := newRun(t.Context(), shell("true"))
	defer r.close()
	if r.host, err = probeInPlace(); err != nil {
		t.Fatal(err)
	}
	r.sweepPrivate()
	if _, err := os.Stat(left[0]); err != nil {
		t.Error("a young folder, perhaps not locked yet, was cleared away")
	}
	gone(t, left[0], func() { r.sweepPrivateOlder(0) })
}

// Only what nobody holds any more is cleared away.
func TestTier2SweepsNoFolderInUse(t *testing.T) {
	needTier2(t)
	dir := ownTemp(t)
	seen := false
	s := shell("echo up; read x; ls")
	s.Tier = Tier2
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	res, err := RunIO(t.Context(), s, IO{Stdin: in, Stdout: onWrite(func() {
		if !seen {
			seen = true
			r := newRun(t.Context(), shell("true"))
			r.host, _ = probeInPlace()
			r.sweepPrivateOlder(0)
			r.close()
			if left, _ := filepath.Glob(dir + "/" + privatePrefix + "*"); len(left) != 1 {
				t.Errorf("the folder in use: %v", left)
			}
			w.Close()
		}
	})})
	if err != nil || !seen {
		t.Errorf("%v %s", err, text(res))
	}
}

// The program's signals are for its own, and so is the keeper's last one: others of
// the caller's processes live on.
func TestTier2SignalsNobodyElse(t *testing.T) {
	victim := exec.Command("sleep", uniqueSleep())
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	for _, ctx := range []context.Context{t.Context(), ablation.Without(t.Context(), ablation.Scope)} {
		s := tier2(t, "sleep 1 & kill -9 -1; kill -9 $PPID; kill -9 "+strconv.Itoa(victim.Process.Pid)+"; wait; echo still")
		res, err := RunIO(ctx, s, IO{})
		if err != nil {
			t.Fatal(err)
		}
		wantStdout(t, res, "still\n")
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, victim.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != nil || info.Signo != 0 {
			t.Errorf("another process of the caller's has ended (%v)", err)
		}
	}
}
