package jail

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// bytesOut is a program that writes n times x.
func bytesOut(n int) string { return fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x`, n) }

// kept is n times x, the first of more or all that there was.
func kept(n int, cut bool) Output {
	return Output{Text: strings.Repeat("x", n), Bytes: int64(n), Truncated: cut}
}

// sameKept compares what was kept; what was written and not kept only counts.
func sameKept(got, want Output) bool {
	more := got.Bytes > int64(len(got.Text))
	got.Bytes = want.Bytes
	return got == want && more == want.Truncated
}

// The cap is exact, and counts both streams together.
func TestOutputCap(t *testing.T) {
	for _, c := range []struct {
		name           string
		script         string
		cap            int64
		reason         Reason
		stdout, stderr Output
	}{
		{"exactly", bytesOut(5000), 5000, ReasonOK, kept(5000, false), kept(0, false)},
		{"one more", bytesOut(5001) + "; sleep 600", 5000, ReasonOutputTooLarge, kept(5000, true), kept(0, false)},
		{"both streams, exactly", bytesOut(3000) + "; (" + bytesOut(2000) + ") >&2", 5000, ReasonOK, kept(3000, false), kept(2000, false)},
		{"both streams, one more", bytesOut(3000) + "; sleep 0.1; (" + bytesOut(2001) + ") >&2; sleep 20", 5000, ReasonOutputTooLarge, kept(3000, false), kept(2000, true)},
		{"stderr alone", "(" + bytesOut(5001) + ") >&2; sleep 20", 5000, ReasonOutputTooLarge, kept(0, false), kept(5000, true)},
		{"one byte", "printf x", 1, ReasonOK, kept(1, false), kept(0, false)},
		{"more than a pipe holds", bytesOut(300000), 300000, ReasonOK, kept(300000, false), kept(0, false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := shell(c.script)
			s.Limits.Output = c.cap
			res := runBox(t, s, IO{})
			want(t, res, c.reason)
			if !sameKept(res.Stdout, c.stdout) || !sameKept(res.Stderr, c.stderr) {
				t.Errorf("record %s", text(res))
			}
		})
	}
}

// With OutputTruncate the program goes on, and the record has its first and
// its last words.
func TestOutputTruncate(t *testing.T) {
	s := shell("seq 100000; echo end >&2")
	s.Limits.Output, s.OutputMode = 100, OutputTruncate
	res := runBox(t, s, IO{})
	want(t, res, ReasonOK)
	head, tail := res.Stdout.Text, res.Stdout.Tail
	if !strings.HasPrefix(head, "1\n2\n3\n") || !strings.HasSuffix(tail, "\n99999\n100000\n") || len(head) != 50 || len(tail) != 50 {
		t.Errorf("head %q, tail %q", head, tail)
	}
	if res.Stdout.Bytes != 588895 || !res.Stdout.Truncated || res.Stderr.Text != "end\n" || res.Stderr.Truncated {
		t.Errorf("record %s", text(res))
	}

	var got strings.Builder
	res = runBox(t, s, IO{Stdout: &got})
	want(t, res, ReasonOK)
	if got.Len() != 100 || !res.Stdout.Truncated || res.Stdout.Bytes != 588895 || res.Stdout.Text != "" {
		t.Errorf("%d bytes streamed: %s", got.Len(), text(res))
	}
}

// What is no UTF-8 comes as base64; what the cap cut through a character does
// not.
func TestOutputEncoding(t *testing.T) {
	for _, c := range []struct {
		script string
		cap    int64
		want   Output
	}{
		{`printf '\377\376'`, 100, Output{Text: "//4=", Encoding: "base64", Bytes: 2}},
		{`printf 'a\000b'`, 100, Output{Text: "a\x00b", Bytes: 3}},
		{`printf 'a\303\251\303\251'; sleep 20`, 4, Output{Text: "aé", Bytes: 5, Truncated: true}},
		{`printf 'a\303\251'; sleep 20`, 1, Output{Text: "a", Bytes: 3, Truncated: true}},
	} {
		s := shell(c.script)
		s.Limits.Output = c.cap
		if res := runBox(t, s, IO{}); res.Stdout != c.want {
			t.Errorf("%s: %+v, want %+v", c.script, res.Stdout, c.want)
		}
	}
}

// What streams through arrives whole, whatever the caller's end is: splice(2)
// takes some kinds of file and refuses others.
func TestOutputStreams(t *testing.T) {
	const n = 5 << 20
	wanted := sha256.Sum256([]byte(strings.Repeat("x", n)))
	for name, flags := range map[string]int{"a file": os.O_RDWR, "a file opened to append": os.O_RDWR | os.O_APPEND} {
		f, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), flags|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := shell(bytesOut(n))
		s.Limits.Output = n
		res := runBox(t, s, IO{Stdout: f})
		want(t, res, ReasonOK)
		h := sha256.New()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(h, f); err != nil || [32]byte(h.Sum(nil)) != wanted || res.Stdout.Bytes != n || res.Stdout.Text != "" {
			t.Errorf("%s: %s (%v)", name, text(res), err)
		}
	}

	// Not a byte past the cap reaches the caller.
	var got counter
	s := shell("yes")
	s.Limits.Output = 1 << 20
	want(t, runBox(t, s, IO{Stdout: &got}), ReasonOutputTooLarge)
	if got != 1<<20 {
		t.Errorf("%d bytes streamed, want exactly the cap", got)
	}
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("no more")
	}
	return len(b), nil
}

// A caller that no longer takes the output has given the run up.
func TestOutputNotTaken(t *testing.T) {
	want(t, runBox(t, shell("yes"), IO{Stdout: &failing{after: 3}}), ReasonCanceled)
	want(t, runBox(t, shell("yes >&2"), IO{Stderr: &failing{}}), ReasonCanceled)

	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	want(t, runBox(t, shell("yes"), IO{Stdout: full}), ReasonCanceled)

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	want(t, runBox(t, shell("yes"), IO{Stdout: w}), ReasonCanceled)
}

type blocking chan struct{}

func (b blocking) Write(p []byte) (int, error) {
	<-b
	return len(p), nil
}

// A caller that never takes the output holds a run up no longer than its
// timeout and a grace.
func TestOutputBlocks(t *testing.T) {
	stuck := make(blocking)
	defer close(stuck)
	for _, c := range []struct {
		script  string
		timeout time.Duration
		reason  Reason
	}{{"yes", patience(time.Second), ReasonTimeout}, {"echo x", patience(3 * time.Second), ReasonCanceled}} {
		s := shell(c.script)
		s.Limits.Timeout = c.timeout
		began := time.Now()
		res := runBox(t, s, IO{Stdout: stuck})
		want(t, res, c.reason)
		if took := time.Since(began); took > patience(20*time.Second) {
			t.Errorf("%s: it took %v", c.script, took)
		}
	}
}

// A process that outlives the program, in a session of its own and with the
// pipes in its hands, is ended with it.
func TestOutputHeldByGrandchild(t *testing.T) {
	began := time.Now()
	res, err := Run(context.Background(), shell("setsid sleep 600 & setsid sh -c 'trap \"\" TERM HUP INT; sleep 600' & echo done"))
	if took := time.Since(began); err != nil || took > patience(15*time.Second) || !res.TreeEmpty {
		t.Errorf("it took %v (%v): %s", took, err, text(res))
	}
	wantStdout(t, res, "done\n")
}

// Somebody outside the box who holds on to a pipe of its holds a run up no
// longer than a grace, and takes nothing from its record.
func TestOutputHeldFromOutside(t *testing.T) {
	fd := -1
	in, opened := io.Pipe() // the program goes on when its pipe is held
	err := onWrite(func() {
		defer opened.Close()
		for _, p := range running(t, "held-from-outside") {
			pid := strings.Split(p, "/")[2]
			if f, err := unix.Open("/proc/"+pid+"/fd/1", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
				fd = f
			}
		}
	})
	began := time.Now()
	res := runBox(t, shell("echo out; echo held-from-outside >&2; read x; exit 0"), IO{Stdin: in, Stderr: err})
	if fd < 0 {
		leaveOut(t, "the box's pipe could not be opened")
	}
	defer unix.Close(fd)
	wantStdout(t, res, "out\n")
	if took := time.Since(began); took > patience(15*time.Second) {
		t.Errorf("it took %v", took)
	}
	if _, err := unix.Write(fd, []byte("x")); !errors.Is(err, unix.EPIPE) {
		t.Errorf("the run is over, and a write to its pipe gave %v, want EPIPE", err)
	}
}
