package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/audit"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// grantedCall is a Spec with what a hint of a call says typed as well.
func grantedCall(t *testing.T, s Spec, flags string) Spec {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(flags, inPlaceOf, " without "))
	for len(words) > 0 {
		switch {
		case words[0] == "--unix":
			s.Unix, words = true, words[1:]
		case words[0] == "--net" && len(words) > 1:
			s.Net, words = Net(words[1]), words[2:]
		case words[0] == "--allow-syscall" && len(words) > 1:
			s.Seccomp.Allow, words = append(slices.Clone(s.Seccomp.Allow), words[1]), words[2:]
		case words[0] == "without" && len(words) > 2 && words[1] == "--deny-syscall":
			s.Seccomp.Deny, words = slices.DeleteFunc(slices.Clone(s.Seccomp.Deny), func(c string) bool { return c == words[2] }), words[3:]
		default:
			t.Fatalf("no flags of jail's: %q", flags)
		}
	}
	return s
}

// callRows are calls of every number, with arguments for those whose answer depends on
// them.
func callRows() (rows []refused) {
	for nr := range 600 {
		name := seccomp.Name(nr)
		if name == "" {
			continue
		}
		args := [][6]uint64{{}, {1, 1, 1, 1, 1, 1}, {^uint64(0), 0x6602, ^uint64(0)}}
		if name == "socket" || name == "socketpair" {
			for _, family := range []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_PACKET} {
				args = append(args, [6]uint64{family, unix.SOCK_STREAM}, [6]uint64{family, unix.SOCK_DGRAM}, [6]uint64{family, unix.SOCK_RAW})
			}
		}
		if name == "fcntl" {
			args = append(args, [6]uint64{0, unix.F_SETOWN, 7})
		}
		for _, a := range args {
			rows = append(rows, refused{name: name, nr: int32(nr), arch: seccomp.Arch(), args: a})
		}
	}
	return rows
}

// Of each call that a box refuses, in each tier and on each kernel, what is hinted is a
// Spec for this tier and this kernel, under which the call is carried out; and in tier
// 2 it is none that lets a box change, or watch, what it was not granted.
func TestGrantsOfCallsCompose(t *testing.T) {
	rows := callRows()
	asked := 0
	for _, s := range []Spec{
		{}, {Unix: true}, {Net: NetLoopback}, {Trace: true}, {Seccomp: Seccomp{Deny: []string{"flock", "inotify_add_watch", "fchmodat", "memfd_create", "kill", "getpid"}}},
		{Tier: Tier2}, {Tier: Tier2, Seccomp: Seccomp{Deny: []string{"flock", "inotify_add_watch", "fchmodat", "memfd_create", "kill", "getpid"}}},
	} {
		s.Args, s.Limits = []string{"true"}, s.Limits.WithDefaults()
		for _, abi := range []int{1, 2, 3, 5, 6, 8, 9, 10} {
			for _, h := range []host{ordinary(), root()} {
				h.landlockABI = abi
				for _, backstops := range []bool{false, true} {
					asked += wantGrantsCompose(t, afterwards(t, s, h, shape{backstops: backstops}), rows)
				}
			}
		}
	}
	if asked < 1000 {
		t.Errorf("only %d grants were looked at", asked)
	}
}

// wantGrantsCompose is that of one box, and says how many grants there were.
func wantGrantsCompose(t *testing.T, r *run, rows []refused) (asked int) {
	t.Helper()
	filterOf := func(s Spec) seccomp.Program {
		s.Trace = false
		f, err := planSeccomp(s, r.host, r.plan.handled, r.shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f.program
	}
	own := filterOf(r.spec)
	for i := range rows {
		c := &rows[i]
		if allows(own, c) {
			continue
		}
		g := r.grantOf(c)
		where := fmt.Sprintf("%s%x in tier %d, own uid %v, ABI %d: %s", c.name, c.args, max(r.spec.Tier, Tier1), r.host.ownUID, r.host.landlockABI, g.flags)
		if (g.flags == "") != (g.never != "") || (g.flags == "") != (g.setting == "") {
			t.Errorf("%s: %+v", where, g)
		}
		if g.flags == "" {
			typed := r.spec
			typed.Seccomp.Allow = append(slices.Clone(typed.Seccomp.Allow), c.name)
			typed.Seccomp.Deny = slices.DeleteFunc(slices.Clone(typed.Seccomp.Deny), func(n string) bool { return n == c.name })
			got := len(typed.reachFaults(r.host)) == 0 && allows(filterOf(typed), c)
			if want := strings.HasPrefix(g.never, withheld.NotHintedWord) || seccomp.Fruitless(c.name) != ""; got != want {
				t.Errorf("%s: %q, and allowed by name it is let through: %v, want %v", where, g.never, got, want)
			}
			continue
		}
		asked++
		typed := grantedCall(t, r.spec, g.flags)
		if err := typed.Validate(); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		if !allows(filterOf(typed), c) {
			t.Errorf("%s: it is refused still", where)
		}
		if !r.spec.inPlace() {
			continue
		}
		if faults := (&run{spec: typed}).tierFaults(r.host, view{}); len(faults) > 0 {
			t.Errorf("%s: %v", where, faults)
		}
		if slices.Contains(typed.Seccomp.Allow, c.name) && uncovered(c.name, r.host) {
			t.Errorf("%s is for what was not granted as well", where)
		}
	}
	return asked
}

// What no flag is said to allow, the kernel refuses to a box in which the filter does not,
// and where the box might have capabilities in a namespace of its own, nothing is said so
// (TestGrantsOfCallsCompose has the rest).
func TestNoFlagAllowsIt(t *testing.T) {
	for nr := range 600 {
		name := seccomp.Name(nr)
		if seccomp.Fruitless(name) == "" || name == "reboot" || name == "vhangup" { // which are not to be tried
			continue
		}
		s := shell("true")
		s.Seccomp.Allow = []string{name}
		a, err := Why(t.Context(), s, name)
		if err != nil {
			t.Fatal(err)
		}
		if a.Tried[0].Errno == "" || a.Tried[0].Layer == LayerSeccomp {
			t.Errorf("%s: %+v, want that the kernel refuses it", name, a.Tried[0])
		}
	}
	nr, _ := seccomp.Number("sethostname")
	c := refused{name: "sethostname", nr: int32(nr), arch: seccomp.Arch()}
	for _, name := range append(slices.Clone(makeNamespaces), "ptrace") {
		s := Spec{Args: []string{"true"}, Seccomp: Seccomp{Allow: []string{name}}, Limits: Limits{}.WithDefaults()}
		g := afterwards(t, s, root(), shape{}).grantOf(&c)
		if got, want := strings.HasPrefix(g.never, withheld.NotHintedWord), name != "ptrace"; got != want {
			t.Errorf("sethostname beside --allow-syscall %s: %+v, want not hinted: %v", name, g, want)
		}
	}
}

// What a box's limits or the kernel refuse past the filter is not hinted at.
func TestFruitlessCallsAreNotHinted(t *testing.T) {
	for _, c := range []struct {
		call   string
		flags  uint64
		hinted bool
		never  string
	}{
		{"mq_open", 0, false, "RLIMIT_MSGQUEUE"}, {"userfaultfd", 0, anybodysFaults(), "UFFD_USER_MODE_ONLY"}, {"userfaultfd", userModeOnly, true, ""}, {"msgget", 0, true, ""},
	} {
		nr, _ := seccomp.Number(c.call)
		r := afterwards(t, Spec{Args: []string{"true"}, Limits: Limits{}.WithDefaults()}, root(), shape{})
		g := r.grantOf(&refused{name: c.call, nr: int32(nr), arch: seccomp.Arch(), args: [6]uint64{c.flags}})
		if (g.flags != "") != c.hinted || !c.hinted && !strings.Contains(g.never, c.never) {
			t.Errorf("%s(%d): %+v, want hinted: %v", c.call, c.flags, g, c.hinted)
		}
	}
}

// uncovered says whether Landlock leaves a call alone in tier 2, and so is one that
// nobody else keeps to what was granted.
func uncovered(call string, h host) bool {
	const always = " inotify_init inotify_init1 inotify_add_watch shmget shmat semget semop msgget msgsnd msgrcv mq_open mq_unlink "
	const callers = ` chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat
		setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr `
	return slices.Contains(strings.Fields(always), call) || !h.ownUID && slices.Contains(strings.Fields(callers), call) || call == "truncate" && h.landlockABI < abiTruncate
}

// afterwards is a run whose box is gone.
func afterwards(t *testing.T, s Spec, h host, sh shape) *run {
	t.Helper()
	r := newRun(t.Context(), s)
	t.Cleanup(r.close)
	handled, err := planLandlock(s, h, ablation.Set{})
	if err != nil {
		t.Fatal(err)
	}
	r.host, r.shape, r.plan = h, sh, &Plan{handled: handled, host: h}
	return r
}

// The same of what Landlock is recorded to have refused: whatever the right, the tier
// and the user, a grant of it is one that resolves, and that this host can have.
func TestGrantsOfRightsCompose(t *testing.T) {
	dir := ownTemp(t)
	granted := 0
	for name, mode := range map[string]os.FileMode{"public": 0o777, "private": 0o700} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(p, "kept"), 0o755); err != nil {
			t.Fatal(err)
		}
		os.Chmod(p, mode)
		for _, tier := range []Tier{Tier1, Tier2} {
			for _, h := range []host{ordinary(), root()} {
				s := Spec{Args: []string{"true"}, Tier: tier, Limits: Limits{}.WithDefaults(), View: []Mount{ro(p+"/kept", p+"/kept")}}
				for right := range landlockRights() {
					granted += wantRightComposes(t, afterwards(t, s, h, shape{}), right, p)
				}
			}
		}
	}
	if granted < 20 {
		t.Errorf("only %d grants were looked at", granted)
	}
}

// wantRightComposes is that of one box and right, and says whether there is a grant, by
// 1.
func wantRightComposes(t *testing.T, r *run, right, p string) int {
	t.Helper()
	look := resolve
	if r.spec.inPlace() {
		look = resolveInPlace
	}
	r.view, _ = look(r.spec)
	r.plan.view = r.view
	ref := auditRefusal{audit.Record{Blockers: []string{right}, Path: p}, 1}
	if strings.HasPrefix(right, "net.") {
		ref.Path, ref.Port = "", "80"
	}
	d := r.auditDenial(&ref, landlockRights())
	where := fmt.Sprintf("%s of %s in tier %d, own uid %v: %s", right, p, r.spec.Tier, r.host.ownUID, d.Grant)
	if (d.Grant == "") == (d.Never == "") {
		t.Errorf("%s: %+v", where, d)
	}
	if d.Grant == "" {
		return 0
	}
	typed := r.spec
	give, instead, _ := strings.Cut(d.Grant, inPlaceOf)
	if flag, path, _ := strings.Cut(give, " "); flag == "--ro" || flag == "--rw" {
		typed.View = slices.DeleteFunc(slices.Clone(typed.View), func(m Mount) bool { return instead == "--"+string(m.Kind)+" "+m.Target })
		typed.View = append(typed.View, Mount{Kind: MountKind(flag[2:]), Source: path, Target: path})
	} else {
		typed = grantedCall(t, typed, d.Grant)
	}
	v, faults := look(typed)
	faults = append(faults, (&run{spec: typed}).tierFaults(r.host, v)...)
	if err := typed.Validate(); err != nil || len(faults) > 0 {
		t.Errorf("%s: %v %v", where, err, faults)
	}
	return 1
}
