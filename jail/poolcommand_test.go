package jail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"golang.org/x/sys/unix"
)

// commands that a program must see as they are, and whether a box that waits can
// take them.
func commands() map[string]struct {
	args, env []string
	warm      bool
} {
	show := func(args ...string) []string {
		return append([]string{"/bin/sh", "-c", `printf '<%s>' "$0" "$@"`}, args...)
	}
	many := "PATH=" + strings.Join(numbered("/no%d:", 9), "") + "/bin"
	return map[string]struct {
		args, env []string
		warm      bool
	}{
		"none":                 {show(), nil, true},
		"empty":                {show("", "", "x", ""), nil, true},
		"odd bytes":            {show("a b", "\n\t\"'\\", "ä€\U0001f600", "\x01\xff\xfe", "-n", "--"), nil, true},
		"a thousand":           {show(strings.Fields(strings.Repeat("x ", 1000))...), nil, true},
		"100 KiB in one":       {show(strings.Repeat("0123456789", 10<<10)), nil, true},
		"more than a box":      {show(strings.Repeat("a", 70<<10), strings.Repeat("b", 70<<10)), nil, false},
		"variables":            {[]string{"/usr/bin/env", "-0"}, []string{"A=", "B=x=y", "C=a\nb", "ü=ß", "D= "}, true},
		"no variables":         {[]string{"/usr/bin/env", "-0"}, nil, true},
		"many variables":       {[]string{"/usr/bin/env", "-0"}, numbered("NAME%d=value", 2000), true},
		"found by PATH":        {[]string{"sh", "-c", "echo $0"}, []string{"PATH=/nonexistent:/usr/bin:/bin"}, true},
		"found without PATH":   {[]string{"sh", "-c", "echo $0"}, nil, true},
		"found last of many":   {[]string{"sh", "-c", "echo $0"}, []string{many}, false},
		"found where it is":    {[]string{"here", "x"}, []string{"PATH=:/bin"}, true},
		"relative":             {[]string{"./here", "x"}, nil, true},
		"in a folder below":    {[]string{"below/here", "x"}, nil, true},
		"nowhere":              {[]string{"no-such-program"}, []string{"PATH=/bin:/usr/bin"}, true},
		"not executable there": {[]string{"data"}, []string{"PATH=/bin:/work"}, true},
		"a folder":             {[]string{"/work"}, nil, true},
	}
}

func numbered(format string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

// What a program is told, and where it is found, is the same in a box that waited.
func TestPoolCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"here": 0o755, "below/here": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"$0\" \"$@\"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	s := shell("")
	s.Dir, s.View = "/work", append(s.View, ro(dir, "/work"))
	p := newPool(t, t.Context(), s, 1)
	for name, c := range commands() {
		awaitReady(t, p, 1)
		s.Args, s.Env = c.args, c.env
		warm, werr := p.Run(t.Context(), commandOf(s), IO{})
		cold, cerr := Run(t.Context(), s)
		if warm.Warm != c.warm {
			t.Errorf("%s: warm %v, want %v", name, warm.Warm, c.warm)
		}
		if warm.Stdout != cold.Stdout || warm.Reason != cold.Reason || fmt.Sprint(werr) != fmt.Sprint(cerr) {
			t.Errorf("%s: warm %v, %.500s\ncold %v, %.500s", name, werr, text(warm), cerr, text(cold))
		}
	}
}

// A command that is none is refused with all that is wrong, and costs no box.
func TestPoolBadCommand(t *testing.T) {
	p := newPool(t, t.Context(), shell(""), 1)
	res, err := p.Run(t.Context(), Command{Name: "a b", Args: []string{"x\x00"}, Env: []string{"A"}}, IO{})
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 3 || res.Reason != ReasonSetupRefused || res.Warm {
		t.Errorf("%v: %s", err, text(res))
	}
	if len(p.ready) != 1 {
		t.Error("it cost a box")
	}
}

// stdin, as it is for any run, but that none is a pipe at its end.
func TestPoolStdin(t *testing.T) {
	blocked, w := io.Pipe()
	defer w.Close()
	p := newPool(t, t.Context(), shell(""), 2)
	for name, c := range map[string]struct {
		script string
		stdin  io.Reader
		want   string
	}{
		"none":                        {"wc -c; (echo x >&0) 2>/dev/null || echo refused", nil, "0\nrefused\n"},
		"streamed":                    {"cat", strings.NewReader("hello\n"), "hello\n"},
		"empty":                       {"wc -c", strings.NewReader(""), "0\n"},
		"a Reader that fails":         {"cat", io.MultiReader(strings.NewReader("a"), failingReader{}), "a"},
		"a Reader that blocks":        {"echo done", blocked, "done\n"},
		"never read":                  {"echo done", endless{}, "done\n"},
		"closed by the program":       {"exec <&-; echo done", endless{}, "done\n"},
		"read in part":                {"head -c 5 | wc -c", endless{}, "5\n"},
		"a program that ends at once": {"exit 0", endless{}, ""},
	} {
		began := time.Now()
		wantStdout(t, runWarm(t, p, commandOf(shell(c.script)), IO{Stdin: c.stdin}), c.want)
		if took := time.Since(began); took > patience(15*time.Second) {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// 16 MiB in and out at once.
func TestPoolThroughCat(t *testing.T) {
	const n = 16 << 20
	s := shell("exec cat")
	s.Limits.Output = n
	in, out := sha256.New(), sha256.New()
	res := runWarm(t, newPool(t, t.Context(), s, 1), commandOf(s), IO{Stdin: io.TeeReader(io.LimitReader(pattern{}, n), in), Stdout: out})
	want(t, res, ReasonOK)
	if !bytes.Equal(in.Sum(nil), out.Sum(nil)) || res.Stdout.Bytes != n {
		t.Errorf("%d bytes of %d came back", res.Stdout.Bytes, n)
	}
}

// Both streams, captured or passed on, up to the cap and past it.
func TestPoolOutput(t *testing.T) {
	s := shell("printf 0123456789; printf abcdefghij >&2; printf 0123456789")
	for name, c := range map[string]struct {
		limit  int64
		mode   OutputMode
		stream bool
		reason Reason
		cut    bool
	}{
		"captured":         {100, OutputKill, false, ReasonOK, false},
		"passed on":        {100, OutputKill, true, ReasonOK, false},
		"cut":              {8, OutputTruncate, false, ReasonOK, true},
		"passed on, cut":   {20, OutputTruncate, true, ReasonOK, true},
		"ended for it":     {8, OutputKill, false, ReasonOutputTooLarge, true},
		"to the last byte": {30, OutputKill, false, ReasonOK, false},
	} {
		s.Limits.Output, s.OutputMode = c.limit, c.mode
		var texts [2][2]bytes.Buffer
		ios := [2]IO{}
		for i := range ios {
			if c.stream {
				ios[i] = IO{Stdout: &texts[i][0], Stderr: &texts[i][1]}
			}
		}
		warm, cold := runWarm(t, newPool(t, t.Context(), s, 1), commandOf(s), ios[0]), runBox(t, s, ios[1])
		if warm.Reason != c.reason || cold.Reason != c.reason {
			t.Errorf("%s: warm %s, cold %s, want %s", name, warm.Reason, cold.Reason, c.reason)
		}
		// Which of the two pipes is read first past the cap is chance.
		if c.limit >= 30 && (warm.Stdout != cold.Stdout || warm.Stderr != cold.Stderr || texts[0][0].String() != texts[1][0].String() || texts[0][1].String() != texts[1][1].String()) {
			t.Errorf("%s: warm %s %q\ncold %s %q", name, text(warm), &texts[0][0], text(cold), &texts[1][0])
		}
		if got := warm.Stdout.Bytes + warm.Stderr.Bytes; c.reason == ReasonOK && (got != 30 || (warm.Stdout.Truncated || warm.Stderr.Truncated) != c.cut) {
			t.Errorf("%s: %s", name, text(warm))
		}
		if n := int64(texts[0][0].Len() + texts[0][1].Len()); c.stream && n != min(30, c.limit) {
			t.Errorf("%s: %d bytes were passed on", name, n)
		}
	}
}

// A caller that does not take the output.
func TestPoolLostOutput(t *testing.T) {
	s := shell("while echo x; do sleep 0.01; done")
	res := runWarm(t, newPool(t, t.Context(), s, 1), commandOf(s), IO{Stdout: &failing{after: 1}})
	want(t, res, ReasonCanceled)
}

// A caller may end a run by a descriptor: before it begins, and then nothing has
// run, or later.
func TestPoolInterrupt(t *testing.T) {
	for _, early := range []bool{true, false} {
		var pipe [2]int
		if err := unix.Pipe(pipe[:]); err != nil {
			t.Fatal(err)
		}
		p := newPool(t, t.Context(), shell(""), 1)
		stop := func() { unix.Write(pipe[1], []byte{0}) }
		if early {
			stop()
		}
		res, err := p.Run(interrupt.With(context.Background(), pipe[0]), commandOf(shell("echo up; exec sleep 20")), IO{Stdout: onWrite(stop)})
		if res.Reason != ReasonCanceled || err != nil || (res.Stdout.Bytes == 0) != early || res.Warm == early {
			t.Errorf("early %v: %v, %s", early, err, text(res))
		}
		unix.Close(pipe[0])
		unix.Close(pipe[1])
	}
}

// A filter that is stricter than jail's own need not know how a box waits: what
// can run cold can run warm.
func TestPoolStricterFilter(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		leaveOut(t, "the program is one for amd64")
	}
	for _, denied := range []string{"mmap", "recvmsg", "kill", "munmap"} {
		s := program(0o755, elf("\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"))(t) // exit(0)
		s.Seccomp.Deny = []string{denied}
		cold, cerr := Run(t.Context(), s)
		p := newPool(t, t.Context(), s, 1)
		warm, werr := p.Run(t.Context(), commandOf(s), IO{})
		if !warm.Warm || warm.Reason != cold.Reason || fmt.Sprint(werr) != fmt.Sprint(cerr) {
			t.Errorf("without %s: warm %s (%v), cold %s (%v)", denied, warm.Reason, werr, cold.Reason, cerr)
		}
	}
}
