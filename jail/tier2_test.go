package jail

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/testtree"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// needTier2 leaves a test out on kernels that have too little for it.
func needTier2(t *testing.T) {
	t.Helper()
	h, err := probeInPlace()
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
	dir := testtree.Outside(t)
	t.Cleanup(func() {
		if left, _ := filepath.Glob(dir + "/" + privatePrefix + "*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
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
		{"view[0].target", func(s *Spec) { s.View = []Mount{{Kind: MountTmpfs, Target: "/x"}} }},
		{"view[0].target", func(s *Spec) { s.View = []Mount{{Kind: MountFile, Target: "/x", Content: "y"}} }},
		{"view[0].target", func(s *Spec) { s.View = []Mount{{Kind: MountLink, Target: "/x", Source: "/usr"}} }},
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

// Whatever the kernel has, something keeps the box's signals to itself; without
// Landlock at all there is no box.
func TestTier2Separation(t *testing.T) {
	for _, c := range []struct {
		own       bool
		abi       int
		want, not string
	}{
		{false, 0, "", ""},
		{true, 0, "", ""},
		{false, 5, "rt_sigaction(the program's group)", "kill(<supervisor>"},
		{false, 6, "rt_sigaction(-1)", "setresuid("},
		{true, 1, "rt_sigaction(-1)", "landlock_restrict_self("},
		{true, 7, "rt_sigaction(-1)", "the program's group"},
	} {
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
		p, err := compile(s, h, v, shape{}, nil)
		var setup *SetupError
		if c.want == "" {
			if !errors.As(err, &setup) || setup.Layer != LayerLandlock || setup.Remedy == "" {
				t.Errorf("own uid %v, Landlock ABI %d: %v", c.own, c.abi, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		has := func(call string) bool {
			return slices.ContainsFunc(p.lists[listBox], func(s Step) bool { return strings.HasPrefix(s.String(), call) || strings.Contains(s.String(), call) })
		}
		if !has(c.want) || has(c.not) {
			t.Errorf("own uid %v, Landlock ABI %d: %s in the plan: %v; %s: %v", c.own, c.abi, c.want, has(c.want), c.not, has(c.not))
		}
	}
}

// What holds a box together can't be allowed away.
func TestTier2OneGroupStays(t *testing.T) {
	for _, call := range []string{"setsid", "kill", "fcntl"} {
		r := newRun(t.Context(), Spec{Tier: Tier2, Seccomp: Seccomp{Allow: []string{call}}})
		h := ordinary()
		h.landlockABI = 5
		if faults := r.hostFaults(h, view{}); len(faults) != 1 || faults[0].Field != "seccomp.allow" {
			t.Errorf("%s: %v", call, faults)
		}
		h.landlockABI = 6
		if faults := r.hostFaults(h, view{}); len(faults) != 0 {
			t.Errorf("%s, ABI 6: %v", call, faults)
		}
	}
}

// From ABI 9 on Landlock keeps a program from sockets outside of its box, and in no tier
// from taking an abstract name: those are the host's where there is no network namespace.
func TestUnixSocketsUnasked(t *testing.T) {
	for _, c := range []struct {
		tier  Tier
		abi   int
		asked bool
		want  bool
	}{{Tier1, 8, false, false}, {Tier1, 9, false, true}, {Tier2, 8, false, false}, {Tier2, 9, false, false}, {Tier2, 9, true, true}} {
		h := ordinary()
		h.landlockABI = c.abi
		s := shell("true")
		s.Tier, s.Unix, s.Limits = c.tier, c.asked, s.Limits.WithDefaults()
		l, err := planLandlock(s, h, ablation.Set{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := planSeccomp(s, h, l, shape{}, ablation.Set{})
		if err != nil {
			t.Fatal(err)
		}
		action, _ := f.program.Action(unix.SYS_SOCKET, seccomp.Arch(), [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM})
		if got := action == unix.SECCOMP_RET_ALLOW; got != c.want {
			t.Errorf("tier %d, ABI %d, asked for: %v: a Unix socket is allowed: %v", c.tier, c.abi, c.asked, got)
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

// An ordinary caller's files are the program's own: what changes one that is open
// for reading is refused to it, and what others need is not.
func TestTier2FileCommands(t *testing.T) {
	refused := func(h host, command uint32) bool {
		return slices.ContainsFunc(inPlaceRules(Spec{Tier: Tier2}, h, 7), func(r seccomp.Rule) bool {
			return r.Syscall == "ioctl" && len(r.Args) == 1 && r.Args[0].Index == 1 && command&r.Args[0].Mask == r.Args[0].Value
		})
	}
	for name, c := range map[string]struct {
		command uint32
		want    bool
	}{
		"FS_IOC_SETFLAGS":              {0x40086602, true},
		"FS_IOC32_SETFLAGS":            {0x40046602, true},
		"FS_IOC_FSSETXATTR":            {0x401c5820, true},
		"FS_IOC_SETVERSION":            {0x40087602, true},
		"FS_IOC32_SETVERSION":          {0x40047602, true},
		"EXT4_IOC_SETVERSION":          {0x40086604, true},
		"FS_IOC_ENABLE_VERITY":         {unix.FS_IOC_ENABLE_VERITY, true},
		"FS_IOC_SET_ENCRYPTION_POLICY": {unix.FS_IOC_SET_ENCRYPTION_POLICY, true},
		"BTRFS_IOC_SNAP_DESTROY":       {0x5000940f, true},
		"F2FS_IOC_SET_PIN_FILE":        {0x4004f50d, true},
		"FS_IOC_GETFLAGS":              {unix.FS_IOC_GETFLAGS, false},
		"FS_IOC_FIEMAP":                {0xc020660b, false},
		"FICLONE":                      {unix.FICLONE, false},
		"TCGETS":                       {unix.TCGETS, false},
		"TIOCGWINSZ":                   {unix.TIOCGWINSZ, false},
		"FIONREAD":                     {unix.TIOCINQ, false},
		"FIONBIO":                      {0x5421, false},
		"FIOCLEX":                      {0x5451, false},
	} {
		if got := refused(ordinary(), c.command); got != c.want {
			t.Errorf("%s refused: %v, want %v", name, got, c.want)
		}
		if refused(root(), c.command) {
			t.Errorf("%s refused to a user whom nobody else is", name)
		}
	}
}
