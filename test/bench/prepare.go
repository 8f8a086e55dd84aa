package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-75010da9/jail/seccomp"
)

//go:embed floor/floor.c
var floorSource []byte

// A bench is what the tables are measured with.
type bench struct {
	dir       string // all that is made, removed at the end
	launchers []launcher
	filter    string // jail's own default filter, a file
	program   seccomp.Program
	oneFilter string // the same with one instruction: allow
	allowed   []int  // what the filter allows, for those who take no program
	kafel     string // the same for nsjail, a file
	rootfs    string // an empty root for minijail to mount into
	record    string // where jail's records are appended
	stderr    *os.File
	missing   []string // what was left out, and why
	undo      []func()
	bundles   int
	runs      atomic.Int64
}

// environment is what every contender is started with: jail looks interpreters
// up in it, and the others get their absolute paths.
func environment() []string { return []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"} }

// prepare makes all that is started. given are paths of launchers by name.
func prepare(given map[string]string) (*bench, error) {
	// Not in /tmp: most boxes have another one, and isolate can't show anything
	// below its own.
	dir, err := os.MkdirTemp("/var/tmp", "jail-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	b := &bench{dir: dir, record: filepath.Join(dir, "records"), rootfs: filepath.Join(dir, "rootfs")}
	if err := b.make(given); err != nil {
		b.close()
		return nil, fmt.Errorf("bench: %w", err)
	}
	return b, nil
}

func (b *bench) close() {
	for _, f := range slices.Backward(b.undo) {
		f()
	}
	if b.stderr != nil {
		b.stderr.Close()
	}
	os.RemoveAll(b.dir)
}

func (b *bench) make(given map[string]string) error {
	// The runtimes' containers have other uids, which look into it too.
	err := os.Chmod(b.dir, 0o755)
	if err != nil {
		return err
	}
	if b.stderr, err = os.Create(filepath.Join(b.dir, "stderr")); err != nil {
		return err
	}
	if err := errors.Join(b.filters(), makeRootfs(b.rootfs, nil)); err != nil {
		return err
	}
	for name, text := range map[string]string{"hello.py": "print('hello')\n", "hello.js": "console.log('hello')\n"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	built := map[string]string{}
	if built["jail"], err = b.buildJail(); err != nil {
		return err
	}
	if built["floor"], err = b.compile("floor", floorSource); err != nil {
		return err
	}
	b.find(built, given)
	return nil
}

func (b *bench) filters() error {
	var err error
	if b.program, err = seccomp.Builtin(seccomp.Default); err != nil {
		return err
	}
	if b.allowed, err = allowedCalls(b.program); err != nil {
		return err
	}
	// BPF_RET|BPF_K with SECCOMP_RET_ALLOW.
	allow := []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f}
	b.filter, b.oneFilter, b.kafel = filepath.Join(b.dir, "default.bpf"), filepath.Join(b.dir, "allow.bpf"), filepath.Join(b.dir, "default.kafel")
	return errors.Join(os.WriteFile(b.filter, b.program, 0o644), os.WriteFile(b.oneFilter, allow, 0o644),
		os.WriteFile(b.kafel, []byte(kafelPolicy(b.allowed)), 0o644))
}

func (b *bench) buildJail() (string, error) {
	linked, path := filepath.Join(b.dir, "jail.linked"), filepath.Join(b.dir, "jail")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-E jail_entry", "-o", linked, "github.com/seed-75010da9/jail/cmd/jail")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building jail: %w\n%s", err, out)
	}
	// Written at once, as setup.sh does. The linker writes through a mapping, which
	// leaves the file in the page cache in single pages: until that is dropped it
	// starts slower than any copy of it does.
	text, err := os.ReadFile(linked)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, text, 0o755)
}

// compile makes a static program of C. That needs gcc: without it there is none, "".
func (b *bench) compile(name string, text []byte) (string, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", nil
	}
	program := filepath.Join(b.dir, name)
	source := program + ".c"
	if err := os.WriteFile(source, text, 0o644); err != nil {
		return "", err
	}
	if out, err := exec.Command(gcc, "-O2", "-static", "-o", program, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling %s.c: %w\n%s", name, err, out)
	}
	return program, nil
}

// find keeps the launchers that are here and can be prepared, and says which
// are not. What is installed by the administrator may lie in /usr/sbin.
func (b *bench) find(built, given map[string]string) {
	all := launchers()
	for i := range all {
		l := &all[i]
		name, _, _ := strings.Cut(l.name, " + ")
		if l.path, l.given = given[name]; !l.given {
			l.path = built[l.program]
		}
		if l.path == "" && l.program != "" {
			l.path = lookPath(l.program)
		}
		if l.path == "" && l.program != "" {
			b.skip(l.name + ": " + l.remedy())
			continue
		}
		if l.prepare != nil {
			if err := l.prepare(b, l); err != nil {
				b.skip(fmt.Sprintf("%s: %v", l.name, err))
				continue
			}
		}
		b.launchers = append(b.launchers, *l)
	}
}

func lookPath(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	path, err := exec.LookPath("/usr/sbin/" + program)
	if err != nil {
		return ""
	}
	return path
}

// skip leaves something out, and says so at once and in the report.
func (b *bench) skip(what string) {
	b.missing = append(b.missing, what)
	fmt.Fprintln(os.Stderr, "bench: LEFT OUT:", what)
}
