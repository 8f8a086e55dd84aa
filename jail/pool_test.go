package jail

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// newPool is a Pool that ends with the test, all of whose boxes are ready.
func newPool(t *testing.T, ctx context.Context, spec Spec, size int) *Pool {
	t.Helper()
	p, err := NewPool(ctx, spec, size)
	if err != nil {
		t.Fatalf("NewPool: %v", err)
	}
	t.Cleanup(func() { p.Close() })
	awaitReady(t, p, size)
	return p
}

func awaitReady(t *testing.T, p *Pool, n int) {
	t.Helper()
	for until := time.Now().Add(patience(time.Minute)); p.Ready() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d boxes are ready, want %d", p.Ready(), n)
		}
	}
}

// commandOf is what of spec a Pool is told with each run.
func commandOf(s Spec) Command { return Command{Name: s.Name, Args: s.Args, Env: s.Env} }

// runWarm runs c in a box that is ready.
func runWarm(t *testing.T, p *Pool, c Command, io IO) Result {
	t.Helper()
	awaitReady(t, p, 1)
	res, err := p.Run(context.Background(), c, io)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	if !res.Warm || !res.TreeEmpty {
		t.Errorf("warm %v, tree_empty %v, want true: %s", res.Warm, res.TreeEmpty, text(res))
	}
	return res
}

// alike is a record in which nothing is left that two runs may differ in.
func alike(t *testing.T, res Result) map[string]any {
	t.Helper()
	res.Warm, res.Usage.WallMS = false, 0
	for i := range res.Layers {
		l := &res.Layers[i]
		for _, text := range []*string{&l.Mechanism, &l.Evidence, &l.Note} {
			*text = regexp.MustCompile(`[0-9]+`).ReplaceAllString(*text, "<n>")
			*text = regexp.MustCompile(`jail-[-_.<>0-9A-Za-z]+`).ReplaceAllString(*text, "<group>")
		}
	}
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(b, &record); err != nil {
		t.Fatal(err)
	}
	usage := record["usage"].(map[string]any)
	for key, v := range usage {
		if v != nil { // it is known or it is not
			usage[key] = "<n>"
		}
	}
	record["id"], record["started_at"] = "<id>", "<time>"
	return record
}

// The record of a warm run is that of a cold one, with all the evidence.
func TestPoolRecord(t *testing.T) {
	needLandlock(t)
	dir := t.TempDir()
	for name, change := range map[string]func(*Spec){
		"plain":       func(*Spec) {},
		"named":       func(s *Spec) { s.Name = "a.name" },
		"of profile":  func(s *Spec) { s.Profile = &ProfileRef{Name: "node", Digest: "sha256:00"} },
		"loopback":    func(s *Spec) { s.Net = NetLoopback },
		"granted":     func(s *Spec) { s.View = append(s.View, ro("/etc/hostname", "/data"), rw(dir, "/work")) },
		"limited":     func(s *Spec) { s.Limits.Memory, s.Limits.Pids, s.Limits.CPUs = 64<<20, 9, 0.5 },
		"no group":    func(s *Spec) { s.CgroupParent, s.Optional = "nonexistent/group", []LayerName{LayerCgroup} },
		"bad text":    func(s *Spec) { s.Args[2] = `printf '\377'; exit 1` },
		"unix":        func(s *Spec) { s.Unix = true },
		"other calls": func(s *Spec) { s.Seccomp.Deny = []string{"getrandom"} },
		"denied":      func(s *Spec) { s.Args[2] = "unshare -U true; exit 2" },
	} {
		s := shell("echo out; echo err >&2; exit 7")
		change(&s)
		warm := runWarm(t, newPool(t, t.Context(), s, 1), commandOf(s), IO{})
		cold := runBox(t, s, IO{})
		if cold.Warm || warm.ID == cold.ID || warm.StartedAt.After(cold.StartedAt) || cold.StartedAt.Sub(warm.StartedAt) > time.Minute {
			t.Errorf("%s: warm %v %s at %v, cold %v %s at %v", name, warm.Warm, warm.ID, warm.StartedAt, cold.Warm, cold.ID, cold.StartedAt)
		}
		if a, b := alike(t, warm), alike(t, cold); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the records differ:\nwarm %v\ncold %v", name, a, b)
		}
	}
}

// throughPool brings a cause about in a box that was made ahead.
func throughPool(t *testing.T, c caused) (Result, error) {
	spec := c.spec(t)
	p, err := NewPool(t.Context(), spec, 1)
	if err != nil { // it is no box that can be made
		res, cold := Run(t.Context(), spec)
		for line := range strings.Lines(strings.TrimPrefix(err.Error(), "jail: ")) { // all faults but the command's
			if cold == nil || !strings.Contains(cold.Error(), strings.TrimSpace(line)) {
				t.Errorf("NewPool: %v, Run: %v", err, cold)
			}
		}
		return res, cold
	}
	defer p.Close()
	awaitReady(t, p, 1)
	waiting := inits(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var io IO
	if c.onOutput != nil {
		io.Stdout = onWrite(func() { c.onOutput(t, cancel) })
	}
	if c.reason == ReasonInternalError {
		io.Stdout = onWrite(func() { kill(t, waiting...) }) // not those that were made meanwhile
	}
	res, err := p.Run(ctx, commandOf(spec), io)
	if bad := spec.Validate() != nil; res.Warm == bad {
		t.Errorf("warm %v", res.Warm)
	}
	res.Warm = false
	return res, err
}

// Every reason, through a pool, with the record of a cold run word for word.
func TestPoolReasons(t *testing.T) {
	for _, c := range causes {
		t.Run(c.name, func(t *testing.T) {
			if c.group {
				needGroup(t)
			}
			if c.unnamed && landlockABI() >= abiResolveUnix {
				leaveOut(t, "Landlock keeps Unix sockets in the box here, so they are allowed")
			}
			res, err := throughPool(t, c)
			want(t, res, c.reason)
			if (err != nil) != c.failed {
				t.Errorf("error %v, want one: %v", err, c.failed)
			}
			if !res.TreeEmpty {
				t.Error("tree_empty is false")
			}
			golden(t, c.name, res)
		})
	}
}

// A box runs one thing and is gone: the next run has other namespaces, another
// user of the host's where root is the caller, and an empty /tmp.
func TestPoolBoxIsUsedOnce(t *testing.T) {
	p := newPool(t, t.Context(), shell(""), 2)
	seen := map[string]bool{}
	for i := range 6 {
		if i%2 == 0 { // both of a pair are there at once: the kernel uses numbers again
			awaitReady(t, p, 2)
			clear(seen)
		}
		res := runWarm(t, p, commandOf(shell("ls -A /tmp /dev/shm; for n in mnt pid ipc net uts user cgroup; do readlink /proc/self/ns/$n; done; touch /tmp/x /dev/shm/x; hostname")), IO{})
		head, rest, _ := strings.Cut(res.Stdout.Text, "mnt:")
		if head != "/dev/shm:\n\n/tmp:\n" {
			t.Errorf("it finds %q", head)
		}
		ns := strings.Fields("mnt:" + rest)
		if os.Getuid() == 0 {
			ns = append(ns, layer(t, res, LayerRoot).Mechanism)
		}
		for _, n := range ns[:len(ns)-1] {
			if seen[n] && !strings.HasPrefix(n, "jail") {
				t.Errorf("%s is one that an earlier box had", n)
			}
			seen[n] = true
		}
	}
}

// Only in a pid namespace of its own may PID 1 end everybody.
func TestPoolKillsInItsNamespaceAlone(t *testing.T) {
	for _, off := range []ablation.Set{nil, {ablation.PIDs}} {
		r := newRun(ablation.Without(context.Background(), off...), shell("true"))
		if err := r.prepare(IO{}); err != nil {
			t.Fatal(err)
		}
		r.shape.late = true
		if err := r.compile(); err != nil {
			t.Fatal(err)
		}
		r.close()
		kills := slices.ContainsFunc(r.plan.lists[listFinal], func(s Step) bool { return s.nr == opEmpty })
		if own := len(off) == 0; kills != own {
			t.Errorf("a pid namespace of its own: %v; everybody in it is killed: %v", own, kills)
		}
	}
}
