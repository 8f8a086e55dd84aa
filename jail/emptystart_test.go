package jail

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// spoil gives this process everything that a careless caller could have, and
// that no box may inherit.
func spoil(t *testing.T) {
	t.Helper()
	t.Setenv("SECRET", "hunter2")
	signal.Ignore(unix.SIGUSR1, unix.SIGPIPE, unix.SIGHUP)
	t.Cleanup(func() { signal.Reset(unix.SIGUSR1, unix.SIGPIPE, unix.SIGHUP) })
	mask := unix.Umask(0o777)
	t.Cleanup(func() { unix.Umask(mask) })
	fd, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // not close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	old := limit
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_CORE, &old) })
}

// What a program finds, whatever the caller has.
func TestEmptyStart(t *testing.T) {
	spoil(t)
	for _, c := range []struct{ name, script, want string }{
		{"the environment it was given", "env -u PWD -u OLDPWD -u SHLVL -u _ | sort", "LC_ALL=C\nPATH=/usr/bin:/bin\n"},
		{"no descriptor but three, and the one that ls looks with", "exec ls /proc/self/fd", "0\n1\n2\n3\n"},
		{"no signal ignored or blocked", "grep -E 'Sig(Ign|Blk)' /proc/self/status", "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"},
		{"a umask of its own", "umask", "0022\n"},
		{"it is not PID 1, and leads a session", "exec cut -d' ' -f1,4,5,6 /proc/self/stat", "2 1 2 2\n"},
		{"no terminal", "(: </dev/tty) 2>/dev/null || echo none", "none\n"},
		{"a folder that it may write to", "pwd; echo x >f && cat f", "/tmp\nx\n"},
		{"private folders as everybody expects them", "stat -c %a /tmp /dev/shm", "1777\n1777\n"},
		{"a tree that it may not write to", "(: >/x) 2>/dev/null || echo refused", "refused\n"},
		{"its own name for the host", "hostname", "jail\n"},
		{"no network", "grep -c : /proc/self/net/dev 2>/dev/null; true", "1\n"},
		{"the limits it was given", "ulimit -n; ulimit -c; ulimit -l", "1024\n0\n64\n"},
		{"no process but its own, PID 1 included", "for p in /proc/[0-9]*; do echo ${p##*/}; done", "2\n"},
		{"the devices that every program expects", "ls /dev", "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n"},
		{"/dev/stdout and /dev/stderr can be opened", "echo a >/dev/stdout; echo b >/dev/stderr; echo c >>/proc/self/fd/1", "a\nc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantStdout(t, runBox(t, shell(c.script), IO{}), c.want)
		})
	}
	wantStdout(t, runBox(t, shell("cat /dev/stdin"), IO{Stdin: strings.NewReader("in")}), "in")
	res := runBox(t, shell("kill -USR1 $$"), IO{})
	if want(t, res, ReasonSignaled); res.Signal == nil || *res.Signal != "SIGUSR1" {
		t.Errorf("a signal that the caller ignores: %s", text(res))
	}
}

// A caller whose working directory is gone can run boxes.
func TestFromADeletedFolder(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	wantStdout(t, runBox(t, shell("pwd"), IO{}), "/tmp\n")
}

// Names are bytes, and reach the program as they are.
func TestNamesOfAllKinds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b", "-n", "new\nline", "\xff\xfe", "'\"$x`", strings.Repeat("n", 255)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\nprintf %s \"$0 $1\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		s := shell("")
		s.Args = []string{"/data/" + name, name}
		s.View = append(s.View, ro(path, "/data/"+name))
		res := runBox(t, s, IO{Stdout: io.Discard})
		if res.Stdout.Bytes != int64(len("/data/ ")+2*len(name)) {
			t.Errorf("%q: %s", name, text(res))
		}
	}
}
