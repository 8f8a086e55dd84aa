package jail

import (
	"strings"
	"testing"
)

// What a program's last words tell of one of its limits names the flag that raises it.
func TestLimitHint(t *testing.T) {
	code := func(n int) *int { return &n }
	view := []Mount{{Kind: MountTmpfs, Target: "/d", Size: 16 << 10}, {Kind: MountTmpfs, Target: "/a;touch x"}, ro("/usr", "/usr")}
	for _, c := range []struct {
		said string
		code *int
		want string // what the hint holds; "" is for none
	}{
		{said: "OSError: [Errno 24] Too many open files: '/x'", want: "a process may have 77 files open: raise --nofile"},
		{said: "Error: EMFILE: too many open files, open '/x'", want: "--nofile"},
		{said: "open /x: too many open files", want: "--nofile"},
		{said: "open /x: Too many open files in system"},
		{said: "OSError: [Errno 27] File too large", want: "a file may have 4096 bytes: raise --fsize"},
		{said: "Error: EFBIG: file too large, write", want: "--fsize"},
		{said: "File size limit exceeded", code: code(3), want: "--fsize"},
		{code: code(153), want: "a file may have 4096 bytes: raise --fsize"},
		{said: "head: error writing: No space left on device", code: code(1), want: "--tmp-size if that was full (/tmp and /dev/shm have 1024 bytes), or --tmpfs /d:SIZE if that was (it has 16384 bytes), or --tmpfs '/a;touch x:SIZE' if that was (it has room for 1024 files"},
		{said: "cannot create /d/x: No space left on device", want: "/d is a folder in memory: give it more room with --tmpfs /d:SIZE"},
		{said: "Error: ENOSPC: no space left on device, write", want: "--tmpfs"},
		{said: "nothing of the kind", code: code(1)},
		{code: code(25)},
		{},
	} {
		res := Result{Reason: ReasonExecutionFailed, ExitCode: c.code, Limits: InForce{NoFile: 77, FileSizeBytes: 4096, TmpBytes: 1024}}
		got := res.limitHint(c.said, view)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("limitHint(%q) = %q, want %q in it", c.said, got, c.want)
		}
	}
}

// A MemoryError that the source raised is of no limit, unless much of the memory was taken.
func TestMemoryErrorsAreToldApart(t *testing.T) {
	const trace = "Traceback (most recent call last):\n  File \"/x/s.py\", line 1, in <module>\n    "
	for _, c := range []struct {
		said, command string
		peak          int64
		want          bool
	}{
		{trace + "raise MemoryError\nMemoryError\n", "", 1, false},
		{trace + "raise MemoryError\nMemoryError\n", "", 1000, true},
		{trace + "raise own(\"no\")\n    ^^^^^^^^\nMemoryError: no\n", "", 1, false},
		{trace + "x = bytearray(10**12)\n        ^^^^^^^^^^^^^^^^\nMemoryError\n", "", 1, true},
		{"  File \"<string>\", line 1, in <module>\nMemoryError\n", "python3 -c raise MemoryError", 1, false},
		{"  File \"<string>\", line 1, in <module>\nMemoryError\n", "python3 -c x = bytearray(10**12)", 1, true},
		{"  File \"<stdin>\", line 1, in <module>\nMemoryError\n", "python3 -", 1, false},
		{"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.28 TiB for an array", "", 1, true},
		{"terminate called after throwing an instance of 'std::bad_alloc'", "", 1, true},
	} {
		most := int64(1000)
		res := Result{Reason: ReasonExecutionFailed, Limits: InForce{MemoryBytes: &most}, Usage: Usage{MemoryPeakBytes: &c.peak}, command: c.command}
		if got := res.limitHint(c.said, nil); (got != "") != c.want {
			t.Errorf("limitHint(%q) with a peak of %d of 1000 = %q, want one: %v", c.said, c.peak, got, c.want)
		}
	}
}

// The same of programs that ran into them.
func TestLimitsAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		change func(*Spec)
		want   string
	}{
		"open files":        {"f=/bin/sh; g=$f; for i in 1 2 3 4 5 6; do g=\"$g $g\"; done; exec paste $g >/dev/null", func(s *Spec) { s.Limits.NoFile = 40 }, "a process may have 40 files open: raise --nofile"},
		"a file":            {"head -c 20000 /dev/zero >/tmp/x", func(s *Spec) { s.Limits.FileSize = 4096 }, "--fsize"},
		"a file of a shell": {"exec 2>/dev/null; head -c 20000 /dev/zero >/tmp/x; exit $?", func(s *Spec) { s.Limits.FileSize = 4096 }, "a file may have 4096 bytes: raise --fsize"},
		"a tmpfs":           {"head -c 20000 /dev/zero >/d/x", func(s *Spec) { s.View = append(s.View, Mount{Kind: MountTmpfs, Target: "/d", Size: 8192}) }, "--tmpfs /d:SIZE if that was (it has 8192 bytes)"},
		"/tmp, and cleaned": {"head -c 20000 /dev/zero >/tmp/x || { rm /tmp/x; exit 1; }", func(s *Spec) { s.Limits.TmpSize = 8192 }, "--tmp-size if that was full (/tmp and /dev/shm have 8192 bytes)"},
	} {
		s := shell(c.script)
		c.change(&s)
		if res := runBox(t, s, IO{}); !strings.Contains(res.Hint, c.want) {
			t.Errorf("%s: hint %q, want %q in it: %s", name, res.Hint, c.want, text(res))
		}
	}
}
