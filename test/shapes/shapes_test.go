package shapes

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A row is one run of jail in a tree. fake is what a stand-in answers.
type row struct {
	name       string
	args       []string
	want, fake string
	node       bool // it needs node
}

var rows = []row{
	{name: "a program", args: []string{"--", "/bin/sh", "-c", "echo base $((6*7))"}, want: "base 42\n"},
	{name: "sh", args: []string{"--profile", "sh", "--", "-c", "echo sh $((6*7))"}, want: "sh 42\n"},
	{name: "a program of the caller's", args: []string{"--profile", "exec", "./prog", "-c", "echo exec $((6*7))"}, want: "exec 42\n", fake: "fake prog of 3\n"},
	{name: "python", args: []string{"--profile", "python", "--", "-c", "print('python', 6 * 7)"}, want: "python 42\n", fake: "fake python3 of 3\n"},
	{name: "a script of python's", args: []string{"--profile", "python", "job.py"}, want: "script 42\n", fake: "fake python3 of 2\n"},
	{name: "node", args: []string{"--profile", "node", "--", "-e", "console.log('node', 6 * 7)"}, want: "node 42\n", fake: "fake node of 5\n", node: true},
}

// A shape is a way to lay a root out, and what shows that a tree has it.
type shape struct {
	name   string
	make   func(*testing.T, store) tree
	link   []string // these are symbolic links
	folder []string // these are folders
	absent []string // and these are not there
}

var shapes = []shape{
	{"merged", merged, []string{"bin", "lib", "lib64"}, []string{"usr/bin"}, []string{"nix"}},
	{"split", split, nil, []string{"bin", "lib", "usr/bin"}, []string{"nix"}},
	{"fedora-like", fedoraLike, []string{"bin", "sbin", "lib64", "usr/bin/python3", "etc/alternatives/python3"},
		[]string{"usr/lib64"}, []string{"usr/lib/*-linux-gnu"}},
	{"alpine-like", alpineLike, []string{"bin/sh"}, []string{"bin", "lib"}, []string{"lib64", "lib/*-linux-*"}},
	{"nixos-like", nixosLike, []string{"etc/static", "etc/passwd", "bin/sh", "run/current-system"},
		[]string{"nix/store"}, []string{"lib", "lib64", "usr/lib", "usr/bin/python3"}},
}

func TestShapes(t *testing.T) {
	s := newStore(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			x := shape.make(t, s)
			shape.holds(t, x)
			x.has(t, s.jail, "usr/local/bin/jail")
			for _, r := range rows {
				if r.node && !x.node {
					continue
				}
				t.Run(r.name+" as root", func(t *testing.T) { x.check(t, r, "0") })
				t.Run(r.name+" as a user", func(t *testing.T) { x.check(t, r, "1000", "--optional", "cgroup") })
			}
		})
	}
}

// holds sees that a tree is what its shape is named for.
func (s shape) holds(t *testing.T, x tree) {
	for _, name := range s.link {
		if info, err := os.Lstat(x.at(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link: %v, %v", name, info, err)
		}
	}
	for _, name := range s.folder {
		if info, err := os.Lstat(x.at(name)); err != nil || !info.IsDir() {
			t.Errorf("%s is no folder: %v, %v", name, info, err)
		}
	}
	for _, name := range s.absent {
		if found, _ := filepath.Glob(x.at(name)); len(found) > 0 {
			t.Errorf("%v is there", found)
		}
	}
}

// check runs jail in the tree, as a user, and compares what the program said.
func (x tree) check(t *testing.T, r row, uid string, flags ...string) {
	want := r.want
	if x.fake && r.fake != "" {
		want = r.fake
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{enterRole, x.path, uid, "/usr/local/bin/jail", "run", "--json", "--timeout", "60s"}, flags...)
	cmd := exec.Command(self, append(args, r.args...)...)
	cmd.Env = []string{"PATH=" + x.env, "HOME=/home/anna"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Run()
	var record struct {
		Reason, Message, Hint string
		Stdout, Stderr        struct{ Text string }
	}
	if e := json.Unmarshal(out.Bytes(), &record); e != nil {
		t.Fatalf("no record: %v, %v: %q %q", err, e, out.Bytes(), errs.Bytes())
	}
	if record.Stdout.Text != want {
		t.Errorf("%s: %s (%s); stdout %q, want %q; stderr %q", record.Reason, record.Message, record.Hint, record.Stdout.Text, want, record.Stderr.Text)
	}
}
