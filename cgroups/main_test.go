package cgroups

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Tests that need another process start this test binary again, with the role
// as its first argument.
var roles = map[string]func(args []string){
	"role:hog":     hog,
	"role:burn":    burn,
	"role:maker":   maker,
	"role:leaver":  leaver,
	"role:finder":  finder,
	"role:orphan":  orphan,
	"role:stepper": stepper,
	"role:udp":     udpFlood,
	"role:tcp":     tcpFlood,

	"role:taker":     taker,
	"role:remounted": remounted,
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			return
		}
	}
	os.Exit(m.Run())
}

// self is a command that runs this binary in a role.
func self(role string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", append([]string{role}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// mustNotSkip says that a skip would hide a failure: on CI every test runs.
func mustNotSkip() bool { return os.Getenv("CI") == "true" }

func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if mustNotSkip() {
		t.Fatalf("would skip, but CI=true: "+format, args...)
	}
	t.Skipf("SKIPPED: "+format, args...)
}

// unhurried is d, or longer on a host that says in JAIL_TEST_SLOWNESS how many
// times slower it is.
func unhurried(d time.Duration) time.Duration {
	if n, err := strconv.Atoi(os.Getenv("JAIL_TEST_SLOWNESS")); err == nil && n > 1 {
		return d * time.Duration(n)
	}
	return d
}

// given is the group that this host names for the tests, relative to the mounts,
// or "".
func given() string { return os.Getenv("JAIL_TEST_CGROUP_PARENT") }

// testParent finds the parent that tests make leaves below. A host whose own
// group is unfit can name another one.
func testParent(t *testing.T) *Parent {
	t.Helper()
	p, err := Find(given())
	if err != nil {
		skip(t, "no parent group here (JAIL_TEST_CGROUP_PARENT may name one): %v", err)
	}
	t.Cleanup(p.Close)
	return p
}

var small = Limits{Memory: 32 << 20, CPUs: 1, Pids: 16}

// testGroup makes a leaf, and takes it away with all that is in it, however
// the test ends.
func testGroup(t *testing.T, p *Parent, l Limits) *Group {
	t.Helper()
	g, err := p.Create("test", l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(t, g) })
	return g
}

func discard(t *testing.T, g *Group) {
	t.Helper()
	killAll(g)
	err := g.Remove()
	for until := time.Now().Add(ending); errors.Is(err, unix.EBUSY) && time.Now().Before(until); err = g.Remove() {
		killAll(g) // what is killed takes its time on a busy machine
	}
	if err != nil {
		t.Errorf("left behind: %v", err)
	}
}

// killAll ends what a test left in a group. Only for tests: pids are reused.
func killAll(g *Group) {
	for _, d := range g.dirs {
		procs, err := readAt(d.fd, "cgroup.procs", 0)
		if err != nil {
			continue
		}
		for _, s := range strings.Fields(procs) {
			if pid, err := strconv.Atoi(s); err == nil && pid > 1 && pid != os.Getpid() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// enter makes cmd run in g from its first instruction on, as a box would.
func enter(g *Group, cmd *exec.Cmd) *exec.Cmd {
	if g.Version() == V2 {
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD()}
		return cmd
	}
	script := ""
	for i := range g.TaskFiles() {
		script += fmt.Sprintf("echo 0 >&%d || exit 99; exec %d>&-; ", 3+i, 3+i)
	}
	wrapped := exec.Command("/bin/sh", append([]string{"-c", script + `exec "$@"`, "sh"}, cmd.Args...)...)
	if cmd.Path == "/proc/self/exe" { // which is another one in sh
		wrapped.Args[4] = "/proc/" + strconv.Itoa(os.Getpid()) + "/exe"
	}
	for _, fd := range g.TaskFiles() {
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			panic(err)
		}
		wrapped.ExtraFiles = append(wrapped.ExtraFiles, os.NewFile(uintptr(own), "tasks"))
	}
	wrapped.Stdout, wrapped.Stderr = cmd.Stdout, cmd.Stderr
	return wrapped
}

// start starts cmd and sees that it is ended and waited for.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// startHeld is start for a role that lives until this process lets go of it.
func startHeld(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	t.Cleanup(func() { in.Close() })
}

// untilOrphaned is the other end of startHeld.
func untilOrphaned() { io.Copy(io.Discard, os.Stdin) }

// eventually waits for something that the kernel does in its own time.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(ending); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, ending)
		}
	}
}

// hog touches so many MiB of memory.
func hog(args []string) {
	mib, err := strconv.Atoi(args[0])
	if err != nil {
		panic(err)
	}
	b, err := unix.Mmap(-1, 0, mib<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	fmt.Println("touched")
}

// burn uses so much processor time.
func burn(args []string) {
	want, err := time.ParseDuration(args[0])
	if err != nil {
		panic(err)
	}
	for used := time.Duration(0); used < want; {
		var ru unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
			panic(err)
		}
		used = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	fmt.Println("burnt")
}

// finder prints what Find says to this process.
func finder([]string) {
	_, err := Find("")
	var e *Error
	if errors.As(err, &e) {
		fmt.Printf("%s|%v|%t\n", e.Missing, errors.Is(err, unix.EACCES), e.Remedy != "")
		return
	}
	fmt.Printf("no *Error: %v\n", err)
}
