package cgroups

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFindRefuses(t *testing.T) {
	testParent(t)
	tests := []struct {
		parent string
		errno  error
	}{
		{"/no/such/group", unix.ENOENT},
		{"../x", unix.EINVAL},
		{"/a/../../x", unix.EINVAL},
		{"a\x00b", unix.EINVAL},
	}
	for _, tt := range tests {
		p, err := Find(tt.parent)
		if err == nil {
			p.Close()
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, tt.errno) || e.Remedy == "" {
			t.Errorf("Find(%q) = %v, want %v with a remedy", tt.parent, err, tt.errno)
		}
	}
}

func TestFindNamedParent(t *testing.T) {
	base := "jailtest-parent-" + strconv.Itoa(os.Getpid())
	above, name := testParent(t), base
	switch {
	case above.Version() == V2: // the root may be somebody else's
		name = filepath.Join(strings.TrimPrefix(above.Path(), mountRoot+"/"), base)
	case given() != "":
		name = filepath.Join(given(), base)
	default:
		// A parent must be there in each hierarchy, at the same place in all.
		root, err := Find("/")
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		above = root
	}
	for i, d := range above.dirs {
		if p, err := Find(name); err == nil {
			p.Close()
			t.Errorf("Find(%q) before it is in hierarchy %d succeeded", name, i)
		}
		if err := d.mkdir(base); err != nil {
			t.Fatal(err)
		}
		defer d.rmdir(base)
	}
	for _, spelling := range []string{name, "/" + name, name + "/"} {
		p, err := Find(spelling)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		g := testGroup(t, p, small)
		if want := filepath.Join("/", name, g.Name()); !strings.HasSuffix(paths(g)[0], want) {
			t.Errorf("Find(%q): the leaf is %s, want …%s", spelling, paths(g)[0], want)
		}
		discard(t, g)
	}
}

func TestFindV1Controllers(t *testing.T) {
	if testParent(t).Version() == V2 {
		t.Skip("not for version 2: it has one hierarchy")
	}
	tests := []struct {
		name, own string
		dirs      int
		missing   string
	}{
		{"one each", "8:pids:/\n4:memory:/\n2:cpuacct:/\n1:cpu:/\n", 4, ""},
		{"cpu and cpuacct joined", "8:pids:/\n4:memory:/\n1:cpu,cpuacct:/\n", 3, ""},
		{"all joined", "8:cpuacct,cpu,memory,pids:/\n", 1, ""},
		{"no memory", "8:pids:/\n2:cpuacct:/\n1:cpu:/\n0::/\n", 0, "controller memory"},
		{"no cpuacct", "8:pids:/\n4:memory:/\n1:cpu:/\n", 0, "controller cpuacct"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			own, err := parseMemberships(strings.ReplaceAll(tt.own, ":/\n", ":/"+given()+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			p := &Parent{version: V1, index: make(map[string]int)}
			defer p.Close()
			err = p.findV1(own, "")
			var e *Error
			if tt.missing != "" {
				if !errors.As(err, &e) || e.Missing != tt.missing || !errors.Is(err, errors.ErrUnsupported) || e.Path == "" {
					t.Errorf("findV1 = %v, want missing %q", err, tt.missing)
				}
				return
			}
			if err != nil || len(p.dirs) != tt.dirs || p.index["pids"] != 0 {
				t.Errorf("findV1 = %v, %d folders, pids in %d, want %d folders and pids first", err, len(p.dirs), p.index["pids"], tt.dirs)
			}
			for _, c := range controllersV1 {
				if _, ok := p.index[c]; !ok {
					t.Errorf("no folder for %s", c)
				}
			}
		})
	}
}

func TestFindWithoutPermission(t *testing.T) {
	testParent(t)
	if os.Getuid() != 0 {
		t.Skip("not for an ordinary user: it can't become another one")
	}
	cmd := self("role:finder")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if want := "write permission|true|true\n"; string(out) != want || err != nil {
		t.Errorf("Find as another user says %q, %v, want %q", out, err, want)
	}
}

// A mount that shows a part of a hierarchy only, as in containers. The mount
// points are this host's, the roots are made up.
func TestLocateIn(t *testing.T) {
	text, err := readAt(unix.AT_FDCWD, "/proc/self/mountinfo", 0)
	if err != nil {
		t.Fatal(err)
	}
	version, controller := testParent(t).Version(), ""
	if version == V1 {
		controller = "pids"
	}
	mounts := parseMountinfo(text)
	i := slices.IndexFunc(mounts, func(m mount) bool {
		return m.version == version && (version == V2 || slices.Contains(m.options, controller))
	})
	if i < 0 {
		t.Fatalf("this host's mount of %s is not in %q", hierarchyName(version, controller), text)
	}
	real := mounts[i]
	in := func(root string) mount { m := real; m.root = root; return m }
	tests := []struct {
		name      string
		mounts    []mount
		own, want string
		path      string // found, or "" for an error
		missing   string
		note      bool
	}{
		{"whole hierarchy", []mount{in("/")}, "/", "", real.point, "", false},
		{"own group is the mount's root", []mount{in("/docker/abc")}, "/docker/abc", "", real.point, "", false},
		{"own group is not below the mount", []mount{in("/docker/abc")}, "/user/x", "", real.point, "", true},
		{"outside of the namespace", []mount{in("/")}, "/../x", "", real.point, "", true},
		{"the mount that fits is taken", []mount{in("/other"), in("/docker/abc")}, "/docker/abc", "", real.point, "", false},
		{"own group is gone", []mount{in("/docker")}, "/docker/no-such", "", "", "group", false},
		{"named parent is gone", []mount{in("/docker")}, "/docker", "/no-such", "", "group", false},
		{"named parent is the mount's root", []mount{in("/docker")}, "/x", "/", real.point, "", false},
		{"not mounted", nil, "/", "", "", "mount of " + hierarchyName(version, controller), false},
		{"another file system there", []mount{{"/", "/proc", version, real.options}}, "/", "", "", "group", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, note, err := locateIn(tt.mounts, version, controller, tt.own, tt.want)
			d.close()
			if d.path != tt.path || (note != "") != tt.note {
				t.Errorf("locateIn(%q, %q) = %q, %q, %v, want %q, note %v", tt.own, tt.want, d.path, note, err, tt.path, tt.note)
			}
			var e *Error
			if tt.path == "" && (!errors.As(err, &e) || e.Missing != tt.missing || e.Remedy == "") {
				t.Errorf("locateIn(%q, %q) = %v, want missing %q", tt.own, tt.want, err, tt.missing)
			}
		})
	}
}

// stepper is in a group of its own and steps aside there. A hybrid host has no
// controllers to hand down, so this must end where it began.
func stepper(args []string) {
	fd, err := openat(unix.AT_FDCWD, args[0], dirFlags)
	if err != nil {
		panic(err)
	}
	p := new(Parent)
	err = p.stepAside(dir{fd, args[0]})
	text, _ := readAt(unix.AT_FDCWD, "/proc/self/cgroup", 0)
	ms, _ := parseMemberships(text)
	i := slices.IndexFunc(ms, func(m membership) bool { return m.controllers == nil })
	os.Stdout.WriteString(filepath.Base(ms[i].path) + "|" + strconv.FormatBool(err == nil) + "|" + p.note + "\n")
}

func TestV2StepAside(t *testing.T) {
	p := testV2(t)
	has, err := p.dirs[0].read("cgroup.subtree_control")
	if err != nil {
		t.Fatal(err)
	}
	g := testBareGroup(t, p)
	cmd := enter(g, self("role:stepper", paths(g)[0]))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	where, note, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "|")
	inside := []string{filepath.Join(paths(g)[0], supervisorLeaf)}
	if len(absent(has)) > 0 {
		if where != g.Name() || note != "false|" || len(left(inside)) > 0 {
			t.Errorf("stepAside without controllers: in %q, %q, left %v, want to be back in %q", where, note, left(inside), g.Name())
		}
		return
	}
	if where != supervisorLeaf || !strings.HasPrefix(note, "true|this process was moved") {
		t.Errorf("stepAside: in %q, %q, want in %q and a note", where, note, supervisorLeaf)
	}
	// The leaf goes with the tree that it is in; here the tree is the test's.
	os.Remove(inside[0])
}

// Who may not write is told to become root, or to have root do it, and where nobody may,
// root least of all, what has to be mounted otherwise.
func TestRemedyOfWrite(t *testing.T) {
	for err, want := range map[error]string{unix.EACCES: "run as root", unix.EPERM: "run as root", unix.EROFS: "mount -o remount,rw"} {
		if got := remedyOfWrite(err); !strings.Contains(got, want) || err == unix.EROFS && strings.Contains(got, "run as root") {
			t.Errorf("remedyOfWrite(%v) = %q, want %q in it", err, got, want)
		}
	}
}
