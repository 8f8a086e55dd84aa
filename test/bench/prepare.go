package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/seed-75010da9/jail/seccomp"
)

//go:embed floor/floor.c
var floorSource []byte

// A bench is what the tables are measured with. An empty path means that the
// contender is missing on this machine.
type bench struct {
	dir           string // all that is made, removed at the end
	jail          string
	floor         string
	bwrap         string
	filter        string // jail's own default filter, a file
	oneFilter     string // the same with one instruction: allow
	record        string // where jail's records are appended
	stderr        *os.File
	filterLength  int
	bubbleOptions []string
	missing       []string // what was left out, and why
}

// environment is what every contender is started with: jail looks interpreters
// up in it, and the others get their absolute paths.
func environment() []string { return []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"} }

func prepare() (*bench, error) {
	dir, err := os.MkdirTemp("", "jail-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	b := &bench{dir: dir, jail: filepath.Join(dir, "jail"), record: filepath.Join(dir, "records")}
	if err := b.make(); err != nil {
		b.close()
		return nil, fmt.Errorf("bench: %w", err)
	}
	return b, nil
}

func (b *bench) close() {
	if b.stderr != nil {
		b.stderr.Close()
	}
	os.RemoveAll(b.dir)
}

func (b *bench) make() error {
	var err error
	if b.stderr, err = os.Create(filepath.Join(b.dir, "stderr")); err != nil {
		return err
	}
	if err := b.filters(); err != nil {
		return err
	}
	for name, text := range map[string]string{"hello.py": "print('hello')\n", "hello.js": "console.log('hello')\n"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-E jail_entry", "-o", b.jail, "github.com/seed-75010da9/jail/cmd/jail")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building jail: %w\n%s", err, out)
	}
	if err := b.compileFloor(); err != nil {
		return err
	}
	if b.bwrap, err = exec.LookPath("bwrap"); err != nil {
		b.skip("bubblewrap, and with it all ratios: apt-get install bubblewrap")
	}
	b.bubbleOptions = bubbleOptions()
	return nil
}

func (b *bench) filters() error {
	own, err := seccomp.Builtin(seccomp.Default)
	if err != nil {
		return err
	}
	b.filterLength = own.Len()
	b.filter, b.oneFilter = filepath.Join(b.dir, "default.bpf"), filepath.Join(b.dir, "allow.bpf")
	// BPF_RET|BPF_K with SECCOMP_RET_ALLOW.
	allow := []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f}
	return errors.Join(os.WriteFile(b.filter, own, 0o644), os.WriteFile(b.oneFilter, allow, 0o644))
}

// compileFloor needs gcc. Without it there is no floor in the tables.
func (b *bench) compileFloor() error {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		b.skip("the C floor: apt-get install gcc")
		return nil
	}
	source, floor := filepath.Join(b.dir, "floor.c"), filepath.Join(b.dir, "floor")
	if err := os.WriteFile(source, floorSource, 0o644); err != nil {
		return err
	}
	if out, err := exec.Command(gcc, "-O2", "-static", "-o", floor, source).CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the C floor: %w\n%s", err, out)
	}
	b.floor = floor
	return nil
}

// skip leaves something out, and says so at once and in the report.
func (b *bench) skip(what string) {
	b.missing = append(b.missing, what)
	fmt.Fprintln(os.Stderr, "bench: LEFT OUT:", what)
}

// bubbleOptions is bubblewrap at its strongest that still runs a program of
// /usr: every namespace, a new root that is read-only /usr and the links into
// it, no capabilities, nothing of the environment.
func bubbleOptions() []string {
	o := []string{"--unshare-user", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--uid", "1000", "--gid", "1000", "--hostname", "jail", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--ro-bind", "/usr", "/usr"}
	for _, name := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		if target, err := os.Readlink(name); err == nil {
			o = append(o, "--symlink", target, name)
		} else if _, err := os.Stat(name); err == nil {
			o = append(o, "--ro-bind", name, name)
		}
	}
	return append(o, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp")
}
