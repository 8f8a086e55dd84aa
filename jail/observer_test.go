package jail

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// needListener leaves a test out where the kernel makes no listener.
func needListener(t *testing.T) {
	t.Helper()
	if flags, why := probeListener(); flags == 0 {
		leaveOut(t, why)
	}
}

// observedSpec runs a function of inside in a box that is denied one more call.
func observedSpec(t *testing.T, name string) Spec {
	s := insideBox(t, name)
	s.Seccomp.Deny = []string{"getpriority"}
	s.Limits.CPUs = 2
	return s
}

// observedInPlace is the same in tier 2, with the test's file at its own path.
func observedInPlace(t *testing.T, name string) Spec {
	s := tier2(t, "")
	exe := filepath.Join(os.Getenv("TMPDIR"), "test")
	if err := copyFile(exe, "/proc/self/exe", 0o755); err != nil {
		t.Fatal(err)
	}
	s.Args, s.Seccomp.Deny = []string{exe, insidePrefix + name}, []string{"getpriority"}
	s.View = append(s.View, ro(exe, exe))
	return s
}

// With a listener and without a box is the same: each call's errno, on all
// threads and in children, the verdict, and every field of the record but those
// that say what was seen.
func TestObserverChangesNoAnswer(t *testing.T) {
	needListener(t)
	for _, tier := range []Tier{Tier1, Tier2} {
		s := observedSpec(t, "ask everywhere")
		if tier == Tier2 {
			s = observedInPlace(t, "ask everywhere")
		}
		plain, err := Run(ablation.Without(t.Context(), ablation.Observer), s)
		if err != nil {
			t.Fatal(err)
		}
		seen := runBox(t, s, IO{})
		if seen.Stdout.Text != plain.Stdout.Text || seen.Reason != plain.Reason || seen.Reason != ReasonOK {
			t.Errorf("tier %d: with a listener %s\nwithout %s", s.Tier, text(seen), text(plain))
		}
		if len(plain.Denials) != 0 || len(plain.Observed.Sources) != 0 {
			t.Errorf("without a listener: %v, %v", plain.Denials, plain.Observed)
		}
		if len(seen.Observed.Sources) != 1 || len(seen.Denials) < 15 {
			t.Errorf("tier %d: %d denials by %v, want those of the list", s.Tier, len(seen.Denials), seen.Observed)
		}
		if tier == Tier1 {
			wantDenials(t, seen)
		} else {
			wantOwnDenials(t, seen)
		}
	}
}

// wantDenials compares what the box of askEverywhere was refused, in 12 places each.
func wantDenials(t *testing.T, res Result) {
	t.Helper()
	for _, want := range []struct{ what, errno, grant, setting, never string }{
		{"socket(AF_INET, SOCK_STREAM)", "EAFNOSUPPORT", "--net loopback", `net.mode = "loopback"`, ""},
		{"socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)", "EAFNOSUPPORT", "", "", "no socket of any family"},
		{"socket(AF_VSOCK, SOCK_STREAM)", "EAFNOSUPPORT", "", "", "no socket of any family"},
		{"unshare(CLONE_NEWUSER)", "EPERM", "", "", "namespaces: "},
		{"clone(CLONE_NEWNET, …)", "EPERM", "", "", "namespaces: "},
		{`mount("none", "/mnt", "tmpfs", MS_NOSUID, …)`, "EPERM", "", "", "mounts and roots"},
		{`chroot("/")`, "EPERM", "", "", "mounts and roots"},
		{"ptrace(PTRACE_ATTACH, 1, …)", "EPERM", "--allow-syscall ptrace", `seccomp.allow = ["ptrace"]`, ""},
		{"keyctl(KEYCTL_GET_KEYRING_ID, …)", "EPERM", "", "", "key rings"},
		{`mkdirat(AT_FDCWD, "/tmp/setgid", 02755)`, "EPERM", "", "", "setuid and setgid bits"},
		{`openat(AT_FDCWD, "/tmp/setuid", O_WRONLY|O_CREAT, 04755)`, "EPERM", "", "", "setuid and setgid bits"},
		{`mknodat(AT_FDCWD, "/tmp/null", S_IFCHR|0600, …)`, "EPERM", "", "", "no device nodes"},
		{"prlimit64(1, RLIMIT_CPU, …)", "EPERM", "", "", "PID 1's limits"},
		{"ioctl(fd, TIOCSTI, …)", "EPERM", "", "", "terminals"},
		{"mmap(PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB, …)", "EPERM", "", "", "huge pages"},
		{"seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, …)", "EPERM", "", "", "locking oneself up"},
		{"flock(fd, LOCK_EX)", "ENOSYS", "--allow-syscall flock", `seccomp.allow = ["flock"]`, ""},
		{"getpriority(…)", "EPERM", "without --deny-syscall getpriority", `seccomp.deny without "getpriority"`, ""},
	} {
		i := slices.IndexFunc(res.Denials, func(d Denial) bool { return d.What == want.what })
		if i < 0 {
			t.Errorf("no denial of %s", want.what)
			continue
		}
		d := res.Denials[i]
		if d.Errno != want.errno || d.Grant != want.grant || d.Setting != want.setting || !strings.HasPrefix(strings.TrimPrefix(d.Never, letThrough), want.never) || (d.Never == "") != (want.never == "") ||
			d.Count != 12 || d.Layer != LayerSeccomp || d.Source != sourceNotification {
			t.Errorf("%+v\nwant %+v, 12 times", d, want)
		}
	}
	for _, d := range res.Denials {
		for _, quiet := range []string{"clone3", "io_uring", "getppid", "system call", "TCGETS"} {
			if strings.Contains(d.What, quiet) {
				t.Errorf("%s was not refused, or is not to be told: %+v", quiet, d)
			}
		}
	}
}

// wantOwnDenials compares what such a box of tier 2 is refused besides. The errno of
// attributes is what file systems without any answer, and no denial.
func wantOwnDenials(t *testing.T, res Result) {
	t.Helper()
	for what, never := range map[string]string{
		"prlimit64(99999999, RLIMIT_CPU, …)":     "in a box of tier 2 a process changes itself alone",
		"setpriority(PRIO_PROCESS, 99999999, 5)": "in a box of tier 2 a process changes itself alone",
		`utimensat(AT_FDCWD, "/nowhere", …)`:     "Landlock has no right for times",
	} {
		d := denialOf(res, what)
		if d == nil || d.Count != 12 || d.Errno != "EPERM" || d.Grant != "" || !strings.HasPrefix(strings.TrimPrefix(d.Never, letThrough), never) || d.Source != sourceNotification {
			t.Errorf("%s: %+v, want 12 times EPERM, and %q", what, d, never)
		}
	}
	for _, d := range res.Denials {
		if strings.Contains(d.What, "xattr") {
			t.Errorf("%+v", d)
		}
	}
	if want := "attributes by path " + strconv.Itoa(int(unix.EOPNOTSUPP)) + "\n"; !strings.Contains(res.Stdout.Text, want) {
		t.Errorf("want %q in %s", want, res.Stdout.Text)
	}
}

// A box that is refused nothing has no denial, and nothing is started for it.
func TestObserverOfNothing(t *testing.T) {
	needListener(t)
	res := runBox(t, shell("echo x | cat >/tmp/x; exit 3"), IO{})
	if len(res.Denials) != 0 || res.Hint != "" || len(res.Observed.Sources) != 1 || len(res.Observed.Blind) < 3 {
		t.Errorf("%v, %q, %+v: want no denials, no hint, and what is not seen", res.Denials, res.Hint, res.Observed)
	}
}

// What a grant says is so: with it the same call is allowed.
func TestGrantsGrant(t *testing.T) {
	needListener(t)
	s := observedSpec(t, "answers")
	before := runBox(t, s, IO{})
	s.Net, s.Seccomp.Deny, s.Seccomp.Allow = NetLoopback, nil, []string{"flock", "ptrace"}
	after := runBox(t, s, IO{})
	for _, d := range before.Denials {
		again := slices.ContainsFunc(after.Denials, func(e Denial) bool { return e.What == d.What })
		if granted := d.Grant != "" && !strings.Contains(d.Grant, "io_setup") && d.Grant != "--unix"; again == granted {
			t.Errorf("%s, granted by %q: refused again: %v", d.What, d.Grant, again)
		}
	}
	for _, name := range []string{"inet socket 0", "flock 0", "denied by name 0"} {
		if !strings.Contains(after.Stdout.Text, name+"\n") {
			t.Errorf("want %q in %s", name, after.Stdout.Text)
		}
	}
}

// More kinds than are told apart are counted together.
func TestObserverIsBounded(t *testing.T) {
	needListener(t)
	res := runBox(t, insideBox(t, "many kinds"), IO{})
	if len(res.Denials) != mostDenials+1 {
		t.Fatalf("%d denials, want %d and the rest: %s", len(res.Denials), mostDenials, text(res))
	}
	for i, d := range res.Denials[:mostDenials] {
		if want := `chroot("/` + strconv.Itoa(i) + `")`; d.What != want || d.Count != 2 {
			t.Errorf("denial %d is %+v, want %s, 2 times", i, d, want)
		}
	}
	if last := res.Denials[mostDenials]; last.What != "other system calls" || last.Count != 2*(50-mostDenials) || last.Errno != "" {
		t.Errorf("the rest is %+v", last)
	}
}

// A flood of refused calls from many threads, with signals, waits for its answers:
// the supervisor's processor time for them is bounded, and each answer is right.
func TestObserverFlood(t *testing.T) {
	needListener(t)
	s := insideBox(t, "flood")
	s.Env = append(s.Env, "FLOOD="+strconv.FormatInt(patience(2*time.Second).Milliseconds(), 10))
	s.Limits.CPUs, s.Limits.Timeout = 2, patience(time.Minute)
	var before, after unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &before)
	began := time.Now()
	res := runBox(t, s, IO{})
	took := time.Since(began)
	unix.Getrusage(unix.RUSAGE_SELF, &after)
	spent := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	want(t, res, ReasonOK)
	number, errnos, _ := strings.Cut(strings.TrimSpace(res.Stdout.Text), " ")
	calls, _ := strconv.Atoi(number)
	t.Logf("%d calls answered in %v, of the supervisor's processor time %v", calls, took, spent)
	if errnos != "EPERM" || calls < floodOf {
		t.Errorf("%d calls were answered %s, want more, with EPERM", calls, errnos)
	}
	if len(res.Denials) != 1 || res.Denials[0].Count != int64(calls) {
		t.Errorf("denials %+v, want one of %d calls", res.Denials, calls)
	}
	if most := burst + time.Duration(share*float64(took)) + 500*time.Millisecond; spent > most && patience(1) == 1 {
		t.Errorf("the supervisor spent %v of processor time, want less than %v", spent, most)
	}
}

// Who is refused as many calls as programs ever are ends as it does where nobody
// hears of them: in its time, and with its own word.
func TestObserverChangesNoVerdict(t *testing.T) {
	needListener(t)
	s := insideBox(t, "be refused often")
	s.Limits.CPUs, s.Limits.Timeout = 2, patience(3*time.Minute)
	plain, err := Run(ablation.Without(t.Context(), ablation.Observer), s)
	if err != nil {
		t.Fatal(err)
	}
	seen := runBox(t, s, IO{})
	for _, res := range []Result{plain, seen} {
		if want(t, res, ReasonExecutionFailed); *res.ExitCode != 3 {
			t.Errorf("exit code %d, want 3: %s", *res.ExitCode, text(res))
		}
	}
	if len(seen.Denials) != 1 || seen.Denials[0].Count != refusedOften {
		t.Errorf("denials %+v, want one of %d calls", seen.Denials, refusedOften)
	}
}

// A filter of the box's own, which is newer than ours, lets no refused call go on.
func TestObserverIsTheOnlyListener(t *testing.T) {
	needListener(t)
	const refused = "listener EPERM true\nfilter true\nunshare true\n"
	res := runBox(t, insideBox(t, "let go"), IO{})
	wantStdout(t, res, refused)
	plain, err := Run(ablation.Without(t.Context(), ablation.Observer), insideBox(t, "let go"))
	if err != nil || plain.Stdout.Text != refused {
		t.Errorf("without our listener: %v, %s", err, text(plain))
	}
	// Who allows seccomp by name gives the box a listener, and has none.
	s := insideBox(t, "let go")
	s.Seccomp.Allow = []string{"seccomp"}
	res = runBox(t, s, IO{})
	wantStdout(t, res, "listener  false\nfilter true\nunshare true\n")
	if len(res.Observed.Sources) != 0 || !strings.Contains(res.Observed.Blind[0], "allowed by name") {
		t.Errorf("observed: %+v", res.Observed)
	}
}

// Boxes of a pool are observed, each for itself.
func TestPoolObserves(t *testing.T) {
	needListener(t)
	p, err := NewPool(t.Context(), shell("true"), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, script := range []string{"mkdir -m 2755 /tmp/a", "true", "mkdir -m 4755 /tmp/b"} {
		res, err := p.Run(t.Context(), Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}, IO{})
		if err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(script, "/tmp/")
		if wanted := path != ""; wanted != (len(res.Denials) > 0) || wanted && !strings.Contains(res.Denials[0].What, "/tmp/"+path) {
			t.Errorf("%s: warm %v, denials %+v", script, res.Warm, res.Denials)
		}
		time.Sleep(30 * time.Millisecond) // for the next box to be ready, mostly
	}
}

// Where a filter around jail has the one listener a box has none, refuses the same,
// and its record says so.
func TestObserverAroundUs(t *testing.T) {
	needListener(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(exe, insidePrefix+"listened", "-test.run=^TestUnobservedHere$", "-test.v", "-test.timeout=10m").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestUnobservedHere") {
		t.Errorf("below a filter with a listener: %v\n%s", err, out)
	}
}

// TestUnobservedHere is a part of TestObserverAroundUs.
func TestUnobservedHere(t *testing.T) {
	flags, why := probeListener()
	if flags != 0 {
		t.Skip("there is a listener to be had")
	}
	if !strings.Contains(why, "around jail") {
		t.Errorf("no listener: %s", why)
	}
	res := runBox(t, observedSpec(t, "ask everywhere"), IO{})
	want(t, res, ReasonOK)
	if len(res.Denials) != 0 || len(res.Observed.Sources) != 0 || !strings.Contains(res.Observed.Blind[0], "around jail") {
		t.Errorf("%v, %+v", res.Denials, res.Observed)
	}
	for _, answer := range []string{"chroot 1", "inet socket 97", "flock 38"} {
		if !strings.Contains(res.Stdout.Text, answer+"\n") {
			t.Errorf("want %q in %s", answer, res.Stdout.Text)
		}
	}
}

// A box in the middle of refused calls does not outlive its supervisor, nor hang.
func TestObserverKilled(t *testing.T) {
	needListener(t)
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // with the private folders of those that are killed
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond, 0, 5 * time.Millisecond, 300 * time.Millisecond} {
		tier := "1"
		if i > 4 {
			tier = "2"
			needTier2(t)
		}
		cmd := exec.Command(exe, insidePrefix+"flooded supervisor", tier)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		time.Sleep(after)
		boxes := descendants(cmd.Process.Pid)
		cmd.Process.Kill()
		cmd.Wait()
		if line != "begun\n" || len(boxes) < 2 {
			t.Fatalf("the box said %q and had processes %v", line, boxes)
		}
		for end := time.Now().Add(patience(20 * time.Second)); ; time.Sleep(5 * time.Millisecond) {
			for pid, start := range boxes {
				if startOf(pid) != start {
					delete(boxes, pid)
				}
			}
			if len(boxes) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("processes %v outlive their supervisor, killed after %v", boxes, after)
			}
		}
	}
}

// floodedSupervisor is a process that runs a box, to be killed.
func floodedSupervisor() int {
	s := shell("")
	s.Args = []string{"/test", insidePrefix + "flood forever"}
	s.View = append(s.View, Mount{Kind: MountRO, Source: "/proc/self/exe", Target: "/test"})
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	s.View[len(s.View)-1].Source = exe
	if os.Args[2] == "2" {
		own := filepath.Join(os.TempDir(), "test-"+strconv.Itoa(os.Getpid()))
		if err := copyFile(own, exe, 0o755); err != nil {
			return 1
		}
		s.Tier, s.Args[0], s.View[len(s.View)-1] = Tier2, own, ro(own, own)
	}
	if _, err := RunIO(context.Background(), s, IO{Stdout: os.Stdout}); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
	}
	return 1
}
