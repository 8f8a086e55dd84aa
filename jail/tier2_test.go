package jail

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needTier2 leaves a test out on kernels that have too little for it.
func needTier2(t *testing.T) {
	t.Helper()
	h, err := probeInPlace()
	if err == nil {
		err = h.separable()
	}
	if err != nil || h.landlockABI == 0 {
		t.Skip("there is no tier 2 here: ", err)
	}
}

// tier2 is a Spec of tier 2 that runs a line of /bin/sh.
func tier2(t *testing.T, script string) Spec {
	t.Helper()
	needTier2(t)
	ownTemp(t)
	s := shell(script)
	s.Tier, s.Optional = Tier2, nil
	return s
}

// ownTemp gives the test a TMPDIR that everybody may pass, and wants it empty in
// the end.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := filepath.Glob(dir + "/" + privatePrefix + "*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	return dir
}

// What a program has: its private folder, the system, no more of its environment
// than it was given, and no uid of root's.
func TestTier2Runs(t *testing.T) {
	s := tier2(t, `[ "$PWD" = "$HOME" ] && [ "$HOME" = "$TMPDIR" ] && touch a && mkdir d && mv a d/b && ls d; id -u; env | wc -l; echo /proc/self/fd/*`)
	res := runBox(t, s, IO{})
	uid := strconv.Itoa(os.Getuid())
	if os.Getuid() == 0 {
		uid = strings.Fields(res.Stdout.Text + " x x")[1]
		if n, _ := strconv.Atoi(uid); n < ownUIDBase {
			t.Errorf("uid %s", uid)
		}
	}
	if got, want := res.Stdout.Text, "b\n"+uid+"\n5\n/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2"; res.Reason != ReasonOK || !strings.HasPrefix(got, want) {
		t.Errorf("reason %s, stdout %q, want %q; stderr %q", res.Reason, got, want, res.Stderr.Text)
	}
	if res.Tier != 2 {
		t.Errorf("tier %d", res.Tier)
	}
}

// What is missing stands in the record as not asked for and not applied, with the
// reason; what is there as both.
func TestTier2Receipt(t *testing.T) {
	for _, l := range runBox(t, tier2(t, "true"), IO{}).Layers {
		missing := l.Name == LayerNamespaces || l.Name == LayerRoot || l.Name == LayerCgroup && !l.Applied
		if l.Applied == missing || l.Asked == missing || missing != (strings.Contains(l.Note, "tier 2")) && l.Name != LayerCaps {
			t.Errorf("%+v", l)
		}
		if l.Applied && l.Evidence == "" {
			t.Errorf("no evidence: %+v", l)
		}
	}
}

// Nothing else of the host can be read or written, and grants are what they say.
func TestTier2View(t *testing.T) {
	needTier2(t)
	dir := ownTemp(t)
	for name, mode := range map[string]os.FileMode{"ro": 0o644, "rw": 0o666, "none": 0o666} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	s := shell("cat ro; cat none; echo x >>ro; echo x >>none; echo x >>rw; cat rw; cat /etc/hostname; ls /; ls ..; echo x >../made; cat /proc/1/status; cat /proc/$PPID/environ; true")
	s.Tier, s.Dir = Tier2, dir
	for name, kind := range map[string]MountKind{"ro": MountRO, "rw": MountRW} {
		path := filepath.Join(dir, name)
		s.View = append(s.View, Mount{Kind: kind, Source: path, Target: path})
	}
	res := runBox(t, s, IO{})
	wantStdout(t, res, "ro\nrw\nx\n")
	if n := strings.Count(res.Stderr.Text, "ermission denied"); n != 9 {
		t.Errorf("%d refusals, want 9: %s", n, res.Stderr.Text)
	}
}

// What tier 2 can't do is a fault that names the field.
func TestTier2Faults(t *testing.T) {
	dir := ownTemp(t)
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field  string
		change func(*Spec)
	}{
		{"net", func(s *Spec) { s.Net = NetLoopback }},
		{"hostname", func(s *Spec) { s.Hostname = "x" }},
		{"optional", func(s *Spec) { s.Optional = []LayerName{LayerLandlock} }},
		{"optional", func(s *Spec) { s.Optional = []LayerName{LayerSeccomp} }},
		{"tier", func(s *Spec) { s.Tier = 3 }},
		{"view[0].kind", func(s *Spec) { s.View = []Mount{{Kind: MountTmpfs, Target: "/x"}} }},
		{"view[0].kind", func(s *Spec) { s.View = []Mount{{Kind: MountFile, Target: "/x", Content: "y"}} }},
		{"view[0].kind", func(s *Spec) { s.View = []Mount{{Kind: MountLink, Target: "/x", Source: "/usr"}} }},
		{"view[0].target", func(s *Spec) { s.View = []Mount{{Kind: MountRO, Source: dir, Target: "/x"}} }},
		{"view[0].target", func(s *Spec) { s.View = []Mount{{Kind: MountRO, Source: dir, Target: "/usr"}} }},
		{"view[1].target", func(s *Spec) {
			s.View = []Mount{{Kind: MountRW, Source: dir, Target: dir}, {Kind: MountRO, Source: inner, Target: inner}}
		}},
		{"view[0].source", func(s *Spec) { s.View = []Mount{{Kind: MountRO, Source: "/", Target: "/"}} }},
	} {
		s := shell("true")
		s.Tier = Tier2
		c.change(&s)
		res, err := Run(t.Context(), s)
		var faults Faults
		if !errors.As(err, &faults) || !slices.ContainsFunc(faults, func(f Fault) bool { return f.Field == c.field }) || res.Reason != ReasonSetupRefused {
			t.Errorf("%s: %v", c.field, err)
		}
	}
}

// A user whom nobody else is can't be given what is the caller's alone.
func TestTier2FaultsOfRoots(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "an ordinary user's boxes have its uid")
	}
	dir := ownTemp(t)
	for name, mode := range map[string]os.FileMode{"secret": 0o600, "readable": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []Mount{{Kind: MountRO, Source: dir + "/secret"}, {Kind: MountRW, Source: dir + "/readable"}} {
		s := shell("true")
		s.Tier, m.Target = Tier2, m.Source
		s.View = []Mount{m}
		if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "must be for everybody to read") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// Where neither a uid nor Landlock keeps signals apart there is no box.
func TestTier2NeedsSeparation(t *testing.T) {
	for _, c := range []struct {
		own  bool
		abi  int
		fine bool
	}{{false, 0, false}, {false, 5, false}, {false, 6, true}, {true, 0, false}, {true, 1, true}, {true, 7, true}} {
		h := ordinary()
		if c.own {
			h = root()
		}
		h.landlockABI = c.abi
		s := shell("true")
		s.Tier, s.Limits = Tier2, s.Limits.WithDefaults()
		v, faults := resolveInPlace(s)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		_, err := compile(s, h, v, shape{}, nil)
		var setup *SetupError
		if fine := err == nil; fine != c.fine || !fine && (!errors.As(err, &setup) || setup.Layer != LayerLandlock || setup.Remedy == "") {
			t.Errorf("own uid %v, Landlock ABI %d: %v", c.own, c.abi, err)
		}
	}
}

// The order is the argument here as well.
func TestTier2Order(t *testing.T) {
	s := tier2(t, "true")
	s.Limits = s.Limits.WithDefaults()
	v, faults := resolveInPlace(s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	h := root()
	h.setpcap, h.keeperUID = true, 7
	p, err := compile(s, h, v, shape{tasks: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		list          list
		before, after string
		why           string
	}{
		{listBox, "kill(<supervisor>, 0)", "setresuid(7", "before, it may signal the supervisor"},
		{listBox, "prctl(PR_CAPBSET_DROP", "setresuid(7", "the bounding set needs CAP_SETPCAP"},
		{listBox, "setresuid(7", "capset(", "changing ids needs CAP_SETUID"},
		{listBox, "landlock_restrict_self(", "kill(<supervisor>, 0) = -1 EPERM", "after, it may not"},
		{listBox, "kill(<supervisor>, 0) = -1 EPERM", "rt_sigaction(", "nothing is killed before it is known whom that hits"},
		{listBox, "prctl(PR_SET_CHILD_SUBREAPER", "rt_sigaction(", "orphans are the keeper's before there is a program"},
		{listTarget, "write(<tasks 0>", "setresuid(", "it enters its group before anything that counts"},
		{listTarget, "setresuid(", "landlock_restrict_self(", "what the rules are for is opened as the box's user"},
		{listTarget, "landlock_restrict_self(", "seccomp(", "the filter need not allow it"},
	} {
		steps := p.lists[c.list]
		first := slices.IndexFunc(steps, func(s Step) bool { return strings.HasPrefix(s.String(), c.before) })
		second := slices.IndexFunc(steps, func(s Step) bool { return strings.HasPrefix(s.String(), c.after) })
		if first < 0 || second < 0 || first >= second {
			t.Errorf("%s is step %d and %s step %d: %s", c.before, first, c.after, second, c.why)
		}
	}
}

// endings are trees that have to be ended as a whole. Each says "up" when it
// stands, and would go on for ever.
var endings = map[string]string{
	"a daemon":                         "setsid sleep MARK >/dev/null 2>&1 & echo up; wait",
	"a daemon that forked twice":       "(setsid sh -c 'sleep MARK & exec sleep MARK' >/dev/null 2>&1 &) ; echo up; exec sleep MARK",
	"what ignores every signal":        "trap '' HUP INT TERM QUIT USR1 USR2 ALRM; sleep MARK & echo up; while :; do sleep MARK; done",
	"what is stopped":                  "sleep MARK & kill -STOP $!; echo up; kill -STOP $$",
	"what holds the output":            "setsid sleep MARK & echo up; wait",
	"a chain in which each forks anew": "f() { sleep 0.01; f & }; f; echo up; sleep MARK",
	"a subreaper of the box's own":     "SUBREAPER",
	"many at once":                     "for i in $(seq 50); do setsid sleep MARK & done; echo up; wait",
	"one whose program is long gone":   "setsid sleep MARK & echo up; exit 0",
	"a fork bomb, bounded":             "b() { b | b & }; b 2>/dev/null; echo up; sleep MARK",
}

// The whole tree ends: at the deadline, when the program ends, and when the
// supervisor is killed.
func TestTier2WholeTreeEnds(t *testing.T) {
	for name, script := range endings {
		t.Run(name, func(t *testing.T) {
			mark := uniqueSleep()
			s := tier2(t, strings.ReplaceAll(script, "MARK", mark))
			if script == "SUBREAPER" {
				s = subreaper(t, mark)
			}
			s.Limits.Timeout, s.Limits.Pids = 700*time.Millisecond, 80
			since := time.Now()
			res := runBox(t, s, IO{})
			if !strings.Contains(res.Stdout.Text, "up") {
				t.Errorf("it never stood: %s", text(res))
			}
			if took := time.Since(since); took > 5*time.Second {
				t.Errorf("it took %v", took)
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
	if err := exec.Command("/bin/sh", "-c", "(setsid sleep "+mark+" &) ; (sleep "+mark+" &)").Run(); err != nil {
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
	s := shell("setsid sleep " + os.Args[2] + " >/dev/null 2>&1 & sleep " + os.Args[2] + " & echo up; wait")
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
	for until := time.Now().Add(5 * time.Second); len(sleepers(t, mark)) != 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the tree does not stand")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	for until := time.Now().Add(5 * time.Second); len(sleepers(t, mark)) > 0; time.Sleep(10 * time.Millisecond) {
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
	r.sweepPrivateOlder(0)
	if _, err := os.Stat(left[0]); err == nil {
		t.Error("the folder of a killed supervisor stays")
	}
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

// Without the pieces of a control group the tree is watched.
func TestTier2Backstops(t *testing.T) {
	for _, c := range []struct {
		name, script string
		limits       Limits
		want         Reason
	}{
		{"memory", hold("40M") + hold("40M") + hold("40M") + "sleep 2", Limits{Memory: 100 << 20}, ReasonOutOfMemory},
		{"processor time", "for i in 1 2 3 4 5 6 7 8; do timeout 0.3 sh -c 'while :; do :; done'; done; exit 0", Limits{CPUTime: 600 * time.Millisecond}, ReasonCPUTime},
		{"private folder", "i=0; while [ $i -lt 40 ]; do i=$((i+1)); head -c 1M /dev/zero >f$i; sleep 0.02; done; sleep 3", Limits{TmpSize: 8 << 20}, ReasonDiskFull},
		{"folders in one another", "i=0; while [ $i -lt 400 ]; do i=$((i+1)); mkdir d && cd d; done; sleep 3", Limits{}, ReasonDiskFull},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tier2(t, c.script)
			s.CgroupParent, s.Limits = "no-such-group", c.limits
			s.Limits.Timeout = 15 * time.Second
			want(t, runBox(t, s, IO{}), c.want)
		})
	}
	t.Run("processes", func(t *testing.T) {
		s := tier2(t, "i=0; while [ $i -lt 60 ]; do i=$((i+1)); sleep 3 & done; wait")
		s.CgroupParent, s.Limits = "no-such-group", Limits{Pids: 20, Timeout: 15 * time.Second}
		if res := runBox(t, s, IO{}); res.Reason != ReasonPidsLimit && res.Reason != ReasonExecutionFailed {
			t.Errorf("reason %s: %s", res.Reason, text(res))
		}
	})
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
	s := tier2(t, "sleep 30 & kill -9 -1; kill -9 $PPID; kill -9 "+strconv.Itoa(victim.Process.Pid)+"; wait; echo still")
	wantStdout(t, runBox(t, s, IO{}), "still\n")
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, victim.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != nil || info.Signo != 0 {
		t.Errorf("another process of the caller's has ended (%v)", err)
	}
}

// A keeper without Landlock's scope ends the tree by its uid alone.
func TestTier2ByUIDAlone(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "only root's boxes have a uid of their own")
	}
	mark := uniqueSleep()
	s := tier2(t, "setsid sleep "+mark+" & (trap '' TERM; sleep "+mark+") & echo up; kill -9 -1; kill -9 $PPID; echo still; sleep "+mark)
	s.Limits.Timeout = 700 * time.Millisecond
	r := newRun(t.Context(), s)
	defer r.close()
	if err := r.prepare(IO{}); err != nil {
		t.Fatal(err)
	}
	r.host.landlockABI = min(r.host.landlockABI, abiScopeSignal-1)
	res, err := r.finish(r.carryOut(t.Context(), IO{}))
	if err != nil {
		t.Fatal(err)
	}
	want(t, res, ReasonTimeout)
	if left := sleepers(t, mark); len(left) > 0 || !res.TreeEmpty || !strings.Contains(res.Stdout.Text, "still") {
		t.Errorf("left %v: %s", left, text(res))
	}
}
