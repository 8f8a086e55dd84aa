package jail

import (
	debugelf "debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inFolder is a Spec of a program that starts in a writable folder of the host's.
func inFolder(trace bool, args ...string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		work := filepath.Join(os.Getenv("TMPDIR"), "work")
		if err := os.Mkdir(work, 0o777); err != nil {
			t.Fatal(err)
		}
		s := command(args...)(t)
		s.Dir, s.Trace = work, trace
		s.View = append(s.View, Mount{Kind: MountRW, Source: work, Target: work})
		return s
	}
}

// withFile is a Spec of a program that is given a file of a folder's alone, and its name
// as the last argument.
func withFile(kind MountKind, name string, args ...string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		s := command(args...)(t)
		file := filepath.Join(filledFolder(t), name)
		s.Args = append(s.Args, file)
		s.View = append(s.View, Mount{Kind: kind, Source: file, Target: file})
		return s
	}
}

// withScript is withFile of a file to read, with that text in it.
func withScript(text string, args ...string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		s := withFile(MountRO, "data.txt", args...)(t)
		if err := os.WriteFile(s.Args[len(s.Args)-1], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// inReadOnly is a Spec of a program that is given a folder to read.
func inReadOnly(args ...string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		s := command(args...)(t)
		dir := filledFolder(t)
		for i := range s.Args {
			s.Args[i] = strings.ReplaceAll(s.Args[i], "WORK", dir)
		}
		s.View, s.Trace = append(s.View, ro(dir, dir)), true
		return s
	}
}

// inWritable is a Spec of a program that starts in a writable folder, with a part of it
// granted once more by itself.
func inWritable(kind MountKind, part string, args ...string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		s := inReadOnly(args...)(t)
		dir := filledFolder(t)
		if err := os.MkdirAll(filepath.Join(dir, "sub/hole"), 0o755); err != nil {
			t.Fatal(err)
		}
		m := Mount{Kind: kind, Target: filepath.Join(dir, part)}
		if kind != MountTmpfs {
			m.Source = m.Target
		}
		s.Dir, s.Trace = dir, false
		s.View[len(s.View)-1].Kind = MountRW
		s.View = append(s.View, m)
		return s
	}
}

// namesInterpreter is a Spec of a shell that is given a script alone, and not the
// interpreter beside it that this names.
func namesInterpreter(tier Tier) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		dir := os.Getenv("TMPDIR")
		os.Chmod(dir, 0o755)
		script, own := filepath.Join(dir, "i.sh"), filepath.Join(dir, "own")
		if err := copyFile(own, "/bin/sh", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(script, []byte("#!"+own+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		s := shell("")
		if tier == Tier2 {
			needLandlock(t)
			s = tier2(t, "")
		}
		s.Args = []string{"/bin/sh", "-c", script}
		s.View = append(s.View, ro(script, script))
		return s
	}
}

func withTrace(spec func(*testing.T) Spec) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		s := spec(t)
		s.Trace = true
		return s
	}
}

// filledFolder is the test's folder with what those programs ask for.
func filledFolder(t *testing.T) string {
	dir := os.Getenv("TMPDIR")
	for name, content := range map[string]string{
		"data.txt": "x\n", "main.py": "import helper\n", "helper.py": "", "main.js": "require('./h.js')\n", "h.js": "", "sub/made.py": "import sqlite3; c = sqlite3.connect('x.db'); c.execute('create table t (a)'); c.commit()\n",
	} {
		os.Mkdir(filepath.Join(dir, "sub"), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	make := exec.Command("/usr/bin/python3", "made.py")
	make.Dir = filepath.Join(dir, "sub")
	make.Run() // where there is python
	return dir
}

// withoutLibraries is a Spec of a program in a box that has the loader and libc, and
// none of its other libraries.
func withoutLibraries(path string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		f, err := debugelf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		libraries, err := f.ImportedLibraries()
		if err != nil || len(libraries) < 2 {
			t.Fatalf("%s takes %v (%v), want libc and another", path, libraries, err)
		}
		loader := make([]byte, f.Section(".interp").Size-1)
		if _, err := f.Section(".interp").ReadAt(loader, 0); err != nil {
			t.Fatal(err)
		}
		s := command("/program")(t)
		real := func(p string) string {
			if p, err = filepath.EvalSymlinks(p); err != nil {
				t.Fatal(err)
			}
			return p
		}
		s.View = []Mount{ro(path, "/program"), ro(real(string(loader)), string(loader))}
		out, err := exec.Command("ldd", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		libc := regexp.MustCompile(`libc\.so\.6 => (\S+)`).FindStringSubmatch(string(out))
		if libc == nil {
			t.Fatalf("no libc: %s", out)
		}
		s.View = append(s.View, ro(real(libc[1]), libc[1]))
		return s
	}
}
