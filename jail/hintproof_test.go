package jail

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
)

// specTyped is a Spec with what a hint says typed beside what is there: with each flag
// of it, and without what it names as in the way.
func specTyped(t *testing.T, bash string, s Spec, grant string) Spec {
	t.Helper()
	s.View, s.Seccomp.Allow, s.Seccomp.Deny = slices.Clone(s.View), slices.Clone(s.Seccomp.Allow), slices.Clone(s.Seccomp.Deny)
	give, instead, _ := strings.Cut(grant, inPlaceOf)
	if rest, ok := strings.CutPrefix(grant, "without "); ok {
		give, instead = "", rest
	}
	if m, ok := mountTyped(t, bash, instead); ok && give == "" {
		s.View = slices.DeleteFunc(s.View, func(old Mount) bool { return old == m })
	}
	if call, ok := strings.CutPrefix(instead, "--deny-syscall "); ok {
		s.Seccomp.Deny = slices.DeleteFunc(s.Seccomp.Deny, func(c string) bool { return c == call })
	}
	words := strings.Fields(give)
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--net":
			i++
			s.Net = Net(words[i])
		case "--unix":
			s.Unix = true
		case "--allow-syscall":
			i++
			s.Seccomp.Allow = append(s.Seccomp.Allow, words[i])
		case "--tmpfs":
			i++
			s.View = append(s.View, Mount{Kind: MountTmpfs, Target: words[i]})
		case "--ro", "--rw":
			s.View, i = grantTyped(t, bash, s.View, grant), len(words)
		default:
			t.Errorf("%q: no flag %q is known to be hinted", grant, words[i])
		}
	}
	return s
}

// Each grant of a record, typed alone beside the flags that were given, makes a box
// that is not refused, in which that refusal is gone.
func TestEachHintWorksAlone(t *testing.T) {
	needListener(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("it takes bash to read what is typed")
	}
	const python = "/usr/bin/python3 -c 'import socket, os, ctypes; c = ctypes.CDLL(None)\nfor f in [lambda: socket.socket(socket.AF_INET), lambda: socket.socket(socket.AF_INET6), lambda: socket.socket(socket.AF_UNIX), " +
		"lambda: c.inotify_init1(0), lambda: c.ptrace(0, 0, 0, 0), lambda: c.sync(), lambda: c.io_setup(1, 0)]:\n  try: f()\n  except OSError: pass\nos._exit(1)'"
	for _, c := range []struct {
		name, script, ro, rw string
		deny                 []string
		least                int // that many grants are tried
	}{
		{name: "making a file in a folder that is given", script: "echo x >DIR/lib/new; exit 1", ro: "DIR/lib", least: 1},
		{name: "making a file in a folder of what is given", script: "echo x >DIR/lib/new; exit 1", ro: "DIR", least: 1},
		{name: "writing a file that is given", script: "echo x >>DIR/data.txt; exit 1", ro: "DIR/data.txt", least: 1},
		{name: "writing a file of what is given", script: "echo x >>DIR/lib/a; exit 1", ro: "DIR", least: 1},
		{name: "nothing given", script: "cat DIR/lib/a; echo x >DIR/lib/new; ls DIR/empty DIR/other; exit 1", least: 3},
		{name: "a name with a colon", script: "cat 'DIR/a:/x' 'DIR/a:' 'DIR/b:c'; exit 1", least: 1},
		{name: "a file below one that is written", script: "cat DIR/lib/a; cat DIR/other/x; exit 1", rw: "DIR/other", least: 1},
		{name: "system calls", script: python, least: 1},
		{name: "system calls that are denied by name as well", script: python, deny: []string{"ptrace", "sync", "getpriority"}, least: 1},
	} {
		for _, tier := range []Tier{Tier1, Tier2} {
			dir := typedTree(t)
			s := shell("")
			if tier == Tier2 {
				s = tier2(t, "")
			}
			at := strings.NewReplacer("DIR", dir)
			s.Args, s.Trace, s.Seccomp.Deny = []string{bash, "-c", at.Replace(c.script)}, true, c.deny
			for kind, given := range map[MountKind]string{MountRO: c.ro, MountRW: c.rw} {
				if given != "" && !(tier == Tier2 && kind == MountRW) { // which the folder's mode does not let root's box have
					s.View = append(s.View, Mount{Kind: kind, Source: at.Replace(given), Target: at.Replace(given)})
				}
			}
			tried := 0
			for _, d := range runBox(t, s, IO{}).Denials {
				if d.Grant == "" || strings.Contains(d.What, `"`) && !strings.Contains(d.What, dir) {
					continue
				}
				tried++
				res, err := Run(t.Context(), specTyped(t, bash, s, d.Grant))
				if err != nil || denialOf(res, d.What) != nil {
					t.Errorf("%s, tier %d: %s with %s typed: %v, %s: want it to be gone", c.name, tier, d.What, d.Grant, err, res.Message)
				}
			}
			if tried < c.least && tier == Tier1 {
				t.Errorf("%s: %d grants were tried, want %d", c.name, tried, c.least)
			}
		}
	}
}

// What a box of tier 2 can't have is not hinted to one.
func TestTier2IsNotHintedAtNamespaces(t *testing.T) {
	needListener(t)
	s := tier2(t, "")
	s.Args = []string{"/usr/bin/python3", "-c", "import socket; socket.socket()"}
	d := denialOf(runBox(t, s, IO{}), "socket(AF_INET, SOCK_STREAM)")
	if d == nil || d.Grant != "" || !strings.Contains(d.Never, "--net loopback would be refused: must be none") {
		t.Errorf("%+v, want no grant", d)
	}
}

// What would reach past a box of tier 2 is hinted to nobody, and in one of tier 1, which
// has an IPC namespace and mounts of its own, it is.
func TestNoHintReachesPastTier2(t *testing.T) {
	for _, c := range []struct{ call, tier1, tier2 string }{
		{"fchmodat", "", "all of the caller's files"}, {"fchownat", "", "all of the caller's files"}, {"fsetxattr", "", "all of the caller's files"}, {"truncate", "", "all of the caller's files"},
		{"shmget", "", "IPC"}, {"semop", "", "IPC"}, {"msgget", "--allow-syscall msgget", "IPC"},
		{"inotify_init1", "--allow-syscall inotify_init1", "watch all"}, {"ptrace", "--allow-syscall ptrace", ""}, {"sync", "--allow-syscall sync", ""}, {"memfd_create", "--allow-syscall memfd_create", ""},
	} {
		nr, _ := seccomp.Number(c.call)
		for tier, want := range map[Tier]string{Tier1: c.tier1, Tier2: c.tier2} {
			r := afterwards(t, Spec{Tier: tier}, host{landlockABI: 7}, shape{})
			g := r.grantOf(&refused{name: c.call, nr: int32(nr), arch: seccomp.Arch()})
			switch {
			case tier == Tier1 && want != "" && !strings.Contains(g.flags, want):
				t.Errorf("%s in tier 1: %+v, want %s", c.call, g, want)
			case tier == Tier2 && want != "" && (g.flags != "" || !strings.Contains(g.never, want)):
				t.Errorf("%s in tier 2: %+v, want no flag, since %s", c.call, g, want)
			case tier == Tier2 && want == "" && !strings.Contains(g.flags, c.tier1):
				t.Errorf("%s in tier 2: %+v, want %s", c.call, g, c.tier1)
			}
		}
	}
}

// A grant or a denial that a profile made is no flag that anybody typed: the hint has the
// profile's line. Nor is what came with the program, which a wider grant shows as well.
func TestHintsNameWhatWasGiven(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	at := strings.NewReplacer("DIR", dir)
	for name, c := range map[string]struct {
		script, from  string
		grant, never  string
		setting, what string
	}{
		"the profile's --ro": {"echo x >DIR/granted/new", "view.ro", "", "the profile gives it otherwise; one of your own may have ",
			`view.rw = ["DIR/granted"] in place of view.ro = ["DIR/granted"]`, `making "DIR/granted/new"`},
		"a flag":            {"echo x >DIR/granted/new", "--ro granted", "--rw DIR/granted in place of --ro DIR/granted", "", `view.rw = ["DIR/granted"] in place of view.ro = ["DIR/granted"]`, `making "DIR/granted/new"`},
		"the program's own": {"echo x >DIR/granted/new", "", "--rw DIR/granted", "", `view.rw = ["DIR/granted"]`, `making "DIR/granted/new"`},
		"the profile's deny": {"true", "view.ro", "", "the profile denies it; one of your own may have ",
			`seccomp.deny without "getpriority"`, "getpriority(…)"},
	} {
		s := traced1(t, at.Replace(c.script)+"; exit 1", dir)
		s.Profile = &ProfileRef{Name: "p", Grants: []Given{}}
		if c.from != "" {
			s.Profile.Grants = append(s.Profile.Grants, Given{dir + "/granted", c.from})
		}
		if name == "the profile's deny" {
			s.Args = []string{"/usr/bin/nice"}
			s.Seccomp.Deny, s.Profile.Denies = []string{"getpriority"}, []string{"getpriority"}
		}
		res := runBox(t, s, IO{})
		d := denialOf(res, at.Replace(c.what))
		want := ""
		if c.never != "" {
			want = c.never + at.Replace(c.setting)
		}
		if d == nil || d.Grant != at.Replace(c.grant) || d.Never != want || d.Setting != at.Replace(c.setting) {
			t.Errorf("%s: %+v in %s\nwant %+v", name, d, text(res), c)
		}
	}
}
