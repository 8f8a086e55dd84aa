package jail

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ordinary and root are two hosts to plan for.
func ordinary() host {
	h := host{kernel: [2]int{6, 12}, landlockABI: 7, lastCap: 40, uid: 1001, gid: 1002, boxUID: 1001, boxGID: 1002}
	for r, name := range rlimitNames {
		if name != "" {
			h.hard[r] = unix.RLIM_INFINITY
		}
	}
	return h
}

func root() host {
	h := ordinary()
	h.uid, h.gid, h.ownUID, h.uidBase, h.boxUID, h.boxGID = 0, 0, true, ownUIDBase, rootBoxID, rootBoxID
	return h
}

// everything is a Spec with one of each kind of thing.
func everything(t *testing.T) Spec {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := shell("true")
	s.Net, s.Hostname, s.Limits = NetLoopback, "box", s.Limits.WithDefaults()
	s.Seccomp = Seccomp{Allow: []string{"personality"}, Deny: []string{"getrandom"}}
	s.View = append(s.View,
		Mount{Kind: MountRO, Source: file, Target: "/data/file"}, Mount{Kind: MountRW, Source: dir, Target: "/work"},
		Mount{Kind: MountTmpfs, Target: "/scratch", Size: 1 << 20}, Mount{Kind: MountLink, Source: "/work", Target: "/w"},
		Mount{Kind: MountFile, Content: "hello", Target: "/etc/motd"})
	return s
}

// testPlan compiles for the host with a uid per box.
func testPlan(t *testing.T, s Spec, sh shape) *Plan {
	t.Helper()
	return planFor(t, s, root(), sh)
}

func planFor(t *testing.T, s Spec, h host, sh shape) *Plan {
	t.Helper()
	v, faults := resolve(s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p, err := compile(s, h, v, sh, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stages are those of a list, in order, each run of one named once.
func stages(steps []Step) []Stage {
	var out []Stage
	for _, s := range steps {
		if len(out) == 0 || out[len(out)-1] != s.Stage {
			out = append(out, s.Stage)
		}
	}
	return out
}

// The order of the stages is the security argument; compile says for each why
// it stands where it does.
func TestOrderOfStages(t *testing.T) {
	for _, c := range []struct {
		name string
		host host
		net  Net
		want [lists][]Stage
	}{
		{"root, loopback", root(), NetLoopback, [lists][]Stage{
			listFirst:  {StageGrants, StageIdentity, StageNet, StageMounts, StagePivot},
			listBox:    {StageGrants, StageMounts, StageLandlock, StageCgroup, StageCaps, StageLifeline},
			listReaper: {StageReaper},
			listTarget: {StageSession, StageRlimits, StageLandlock, StageSeccomp, StageEvidence, StageExec},
			listFinal:  {StageSupervise},
		}},
		{"ordinary user, no network", ordinary(), NetNone, [lists][]Stage{
			listFirst:  {StageGrants, StageIdentity, StageMounts},
			listBox:    {StageGrants, StageMounts, StagePivot, StageLandlock, StageCgroup, StageCaps, StageLifeline},
			listReaper: {StageReaper},
			listTarget: {StageSession, StageRlimits, StageLandlock, StageSeccomp, StageEvidence, StageExec},
			listFinal:  {StageSupervise},
		}},
	} {
		spec := everything(t)
		spec.Net = c.net
		p := planFor(t, spec, c.host, shape{tasks: 3})
		for l := range lists {
			if got := stages(p.lists[l]); !slices.Equal(got, c.want[l]) {
				t.Errorf("%s: stages of the %s\n got %v\nwant %v", c.name, listNames[l], got, c.want[l])
			}
		}
	}
}

// Single steps whose place matters within a stage or across.
func TestOrderOfSteps(t *testing.T) {
	p := testPlan(t, everything(t), shape{tasks: 1})
	for _, c := range []struct {
		list          list
		before, after string // call prefixes
		why           string
	}{
		{listBox, "write(<tasks 0>", "unshare(CLONE_NEWCGROUP", "the box's group is to be the root that it sees"},
		{listBox, "setgroups(", "setresuid(", "dropping groups needs CAP_SETGID"},
		{listBox, "pivot_root(", "umount2(", "the old root lies on the new one until then"},
		{listBox, "umount2(", "prctl(PR_CAPBSET_DROP", "umount2 needs CAP_SYS_ADMIN"},
		{listBox, "prctl(PR_SET_SECUREBITS", "capset(", "securebits need CAP_SETPCAP"},
		{listBox, "setresuid(", "prctl(PR_SET_PDEATHSIG", "a change of ids clears the parent-death signal"},
		{listBox, "fcntl(5, F_SETFL", "read(5", "the read shows that the lifeline was armed in time"},
		{listReaper, "seccomp(", "close(6", "a failure to load the filter is still to be told"},
		{listTarget, "setsid(", "prlimit64(", "the session comes first"},
		{listTarget, "landlock_restrict_self(", `openat(<host root>, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC, 0) = -1 EACCES`, "the canary shows that Landlock is on"},
		{listTarget, "landlock_restrict_self(", "seccomp(", "the filter need not allow landlock calls"},
		{listTarget, "close_range(", "seccomp(", "the filter need not allow it"},
		{listTarget, "seccomp(", `openat(AT_FDCWD, "/proc/self/status"`, "the evidence is read behind the last wall"},
		{listTarget, "write(6", "execve(", "the evidence is sent before the program starts"},
	} {
		steps := p.lists[c.list]
		if c.list == listBox {
			steps = slices.Concat(p.lists[listFirst], steps)
		}
		first := slices.IndexFunc(steps, func(s Step) bool { return strings.HasPrefix(s.String(), c.before) })
		second := slices.IndexFunc(steps, func(s Step) bool { return strings.HasPrefix(s.String(), c.after) })
		if first < 0 || second < 0 || first > second {
			t.Errorf("%s is step %d and %s step %d of the %s: %s", c.before, first, c.after, second, listNames[c.list], c.why)
		}
	}
	if last := p.lists[listTarget][len(p.lists[listTarget])-1]; last.Operation != "execve" || last.want != 0 {
		t.Errorf("the program's last step is %s", last)
	}
}

// A failure of any step can be told: where, what and on what.
func TestEveryStepIsNamed(t *testing.T) {
	for _, h := range []host{root(), ordinary()} {
		for _, sh := range []shape{{}, {tty: true}, {stdin: true, tasks: 3}} {
			p := planFor(t, everything(t), h, sh)
			for l := range lists {
				for i, s := range p.lists[l] {
					if s.Stage == "" || s.Operation == "" || s.nr == 0 && s.Operation != "read" {
						t.Errorf("step %d of the %s has stage %q and operation %q", i, listNames[l], s.Stage, s.Operation)
					}
					if len(s.args) > 6 {
						t.Errorf("%s has %d arguments", s, len(s.args))
					}
				}
			}
		}
	}
}

// The same input gives the same bytes, and another gives others.
func TestCompileIsDeterministic(t *testing.T) {
	s := everything(t)
	first := testPlan(t, s, shape{}).encode()
	for range 20 {
		if !bytes.Equal(testPlan(t, s, shape{}).encode(), first) {
			t.Fatal("two plans of one Spec differ")
		}
	}
	s.Env = append(s.Env, "A=B")
	if bytes.Equal(testPlan(t, s, shape{}).encode(), first) {
		t.Error("plans of two Specs are the same")
	}
}

// The size of a made-up file is that of what is written, with the user filled in.
func TestExplainSizes(t *testing.T) {
	s := shell("stat -c %s /etc/box /etc/plain")
	s.View = append(s.View, content("{{uid}}:{{gid}}:{{uid}}\n", "/etc/box"), content("plain", "/etc/plain"))
	p, err := Explain(s)
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, v := range p.viewLines() {
		if v.Kind == "file" {
			shown += strconv.FormatInt(v.Size, 10) + "\n"
		}
	}
	if out := runBox(t, s, IO{}).Stdout.Text; out != shown {
		t.Errorf("sizes in the box %q, shown %q", out, shown)
	}
}

// What Explain shows is what runs: the same bytes go to PID 1.
func TestExplainIsWhatRuns(t *testing.T) {
	s := everything(t)
	_, tty := callerTTY(t, 24, 80)
	for name, in := range map[string]func() IO{
		"no input":   func() IO { return IO{} },
		"a stdin":    func() IO { return IO{Stdin: strings.NewReader("")} },
		"a terminal": func() IO { return IO{TTY: tty, Stdout: &screen{}} },
	} {
		t.Run(name, func(t *testing.T) {
			shown, err := ExplainIO(s, in())
			if err != nil {
				t.Fatal(err)
			}
			r := newRun(context.Background(), s)
			defer r.close()
			if err := errors.Join(r.prepare(in()), r.carryOut(context.Background(), in())); err != nil {
				t.Fatal(err)
			}
			if !r.shape.tty && !bytes.Equal(shown.encode(), r.plan.encode()) {
				t.Error("the plan that ran is not the one that was shown")
			}
			checkShown(t, shown, r.plan)
		})
	}
}

// checkShown demands that what is shown of a plan is all of another, which ran.
func checkShown(t *testing.T, shown, ran *Plan) {
	t.Helper()
	real := func(text string) string { return text }
	if ran.shape.tty { // only its number is not known before
		real = strings.NewReplacer(shownSlave, ran.shape.slave).Replace
	}
	if got, want := real(shown.Text()), ran.Text(); got != want {
		t.Errorf("shown was\n%s\nand what ran is\n%s", got, want)
	}
	var steps struct{ Steps []stepLine }
	b, err := json.Marshal(shown)
	if err == nil {
		err = json.Unmarshal(b, &steps)
	}
	if err != nil || len(steps.Steps) != ran.len() {
		t.Errorf("%d steps shown, %d run (%v)", len(steps.Steps), ran.len(), err)
	}
	text := real(shown.Text())
	for l := range lists {
		for _, s := range ran.lists[l] {
			if !strings.Contains(text, s.String()+"\n") {
				t.Errorf("%s ran and is not in the text", s)
			}
		}
	}
}
