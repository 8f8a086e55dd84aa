// Package counts keeps what a run does from growing unseen. Times drift with the
// machine; counts do not: system calls, threads, packages with something to
// initialise, the size of the binary. What makes a count larger has to change it
// here, and say why.
package counts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

var jail string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-counts-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	jail = filepath.Join(dir, "jail")
	if err := shipped.Build(jail); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// most is how many system calls each process of a run of /bin/true makes, at
// most: the supervisor's differ by a few with the order in which its threads
// run, the others' only with the host.
var most = map[string]int{
	"supervisor": 540, // some 130 of them set the Go runtime's signal handlers
	"starter":    24,
	"PID 1":      250, // with the Landlock rules of a plain box
	"program":    115, // 64 to give every signal its default
}

// mostThreads are those of the supervisor: three are the Go runtime's.
const mostThreads = 6

func TestSystemCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	calls, threads := trace(t)
	for range 4 { // a slow run looks at its counters more often: the least of five counts
		more, n := trace(t)
		for who := range calls {
			calls[who] = min(calls[who], more[who])
		}
		threads = min(threads, n)
	}
	for who, n := range most {
		if calls[who] == 0 || calls[who] > n {
			t.Errorf("%s: %d system calls, want 1 to %d", who, calls[who], n)
		}
	}
	if threads > mostThreads {
		t.Errorf("%d threads of the supervisor, want at most %d", threads, mostThreads)
	}
}

var (
	tracedCall = regexp.MustCompile(`^(\d+) +([a-z_0-9]+)\((.*)`)
	// What tells the processes of a run apart is a call that only they make.
	tells = map[string]*regexp.Regexp{
		"starter": regexp.MustCompile(`execveat\(`),
		"PID 1":   regexp.MustCompile(`pivot_root\(`),
		"program": regexp.MustCompile(`landlock_restrict_self\(`),
	}
)

// scheduling are the calls by which the Go runtime's threads wait for, wake and
// stop each other: how many there are depends on what else the machine does.
var scheduling = []string{"nanosleep", "futex", "sched_yield", "epoll_pwait", "tgkill", "rt_sigreturn", "restart_syscall"}

// A traced is a system call that a thread made, but for those of scheduling.
type traced struct{ thread, call string }

// tracedCalls are those of strace's lines.
func tracedCalls(text string) (calls []traced) {
	for line := range strings.Lines(text) {
		if m := tracedCall.FindStringSubmatch(line); m != nil && !slices.Contains(scheduling, m[2]) {
			calls = append(calls, traced{m[1], m[2] + "(" + m[3]})
		}
	}
	return calls
}

// whose is the process that a call gives away, and else the supervisor, which makes all sorts.
func whose(call string) string {
	for name, tell := range tells {
		if tell.MatchString(call) {
			return name
		}
	}
	return "supervisor"
}

// trace runs /bin/true in a box below strace and counts each process's system
// calls; the program's until it is executed.
func trace(t *testing.T) (calls map[string]int, threads int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "-qq", "-o", file, jail, "run", "-q", "--optional", "cgroup", "--", "/bin/true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{} // thread → its calls
	for _, c := range tracedCalls(string(text)) {
		lines[c.thread] = append(lines[c.thread], c.call)
	}
	calls = map[string]int{}
	for _, made := range lines {
		who := "supervisor"
		for _, c := range made {
			if of := whose(c); of != "supervisor" {
				who = of
			}
		}
		if who == "supervisor" {
			threads++
		}
		for i, c := range made {
			if who == "program" && strings.HasPrefix(c, "execve(") {
				made = made[:i+1]
				break
			}
		}
		calls[who] += len(made)
	}
	t.Logf("system calls: %v, %d threads", calls, threads)
	return calls, threads
}

// initialised are the packages that do something before main, on the way of
// every run: what is added here costs each of them.
var initialised = []string{
	"context", "crypto", "encoding/base64", "encoding/json", "errors", "github.com/seed-75010da9/jail", "golang.org/x/sys/unix",
	"internal", "io", "io/fs", "iter", "math", "os", "os/signal", "path/filepath", "reflect", "runtime", "sync", "syscall", "time", "unicode",
	"github.com/landlock-lsm/go-landlock/landlock", "github.com/pelletier/go-toml/v2",
}

func TestInitialisedPackages(t *testing.T) {
	cmd := exec.Command(jail, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(stderr.String()) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "init" {
			continue
		}
		seen++
		if !slices.ContainsFunc(initialised, func(p string) bool { return f[1] == p || strings.HasPrefix(f[1], p+"/") }) {
			t.Errorf("package %s has something to initialise: %s", f[1], strings.TrimSpace(line))
		}
	}
	if seen == 0 {
		t.Errorf("no package was seen: %q", stderr.String())
	}
}

// mostBytes is a third more than the binary has. Its size alone costs a run next
// to nothing: it is for whoever downloads it.
const mostBytes = 11 << 20

func TestSizeOfBinary(t *testing.T) {
	info, err := os.Stat(jail)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("jail has %d bytes, want at most %d", info.Size(), mostBytes)
	}
}
