package jail

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// endless produces zeros.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// What a program finds on its stdin.
func TestStdin(t *testing.T) {
	for _, c := range []struct {
		name   string
		script string
		stdin  io.Reader
		want   string
	}{
		{"none is the box's own /dev/null", "readlink /proc/self/fd/0; wc -c", nil, "/dev/null\n0\n"},
		{"none is read-only", "(echo x >&0) 2>/dev/null || echo refused", nil, "refused\n"},
		{"streamed", "cat", strings.NewReader("hello\n"), "hello\n"},
		{"empty", "wc -c", strings.NewReader(""), "0\n"},
		{"a Reader that fails is the end of it", "cat", io.MultiReader(strings.NewReader("a"), failingReader{}), "a"},
		{"never read", "echo done", endless{}, "done\n"},
		{"closed by the program", "exec <&-; echo done", endless{}, "done\n"},
		{"read in part", "head -c 5 | wc -c", endless{}, "5\n"},
		{"for a program in the background, none", "cat & wait; echo done", strings.NewReader("x"), "done\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			wantStdout(t, runBox(t, shell(c.script), IO{Stdin: c.stdin}), c.want)
			if took := time.Since(began); took > patience(15*time.Second) {
				t.Errorf("it took %v", took)
			}
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// A Reader that blocks does not keep a run from ending.
func TestStdinBlocks(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	wantStdout(t, runBox(t, shell("echo done"), IO{Stdin: r}), "done\n")
}

// 64 MiB through cat, in and out at once.
func TestStdinThroughCat(t *testing.T) {
	const n = 64 << 20
	in, out := sha256.New(), sha256.New()
	s := shell("exec cat")
	s.Limits.Output, s.Limits.Timeout = n, patience(time.Minute)
	res := runBox(t, s, IO{Stdin: io.TeeReader(io.LimitReader(pattern{}, n), in), Stdout: out})
	want(t, res, ReasonOK)
	if string(in.Sum(nil)) != string(out.Sum(nil)) || res.Stdout.Bytes != n {
		t.Errorf("%d bytes of %d came back, the same: %v", res.Stdout.Bytes, n, string(in.Sum(nil)) == string(out.Sum(nil)))
	}
}

// A pattern whose pieces can be told apart.
type pattern struct{}

func (pattern) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(i>>8) ^ byte(i)
	}
	return len(b), nil
}

// A file of the caller's is streamed as well: the program gets no descriptor
// of it, so it cannot reopen it for writing.
func TestStdinIsNoDescriptorOfTheCaller(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "in")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	res := runBox(t, shell(`cat; echo; readlink /proc/self/fd/0 | cut -d: -f1; (: >/proc/self/fd/0) 2>/dev/null; true`), IO{Stdin: f})
	wantStdout(t, res, "content\npipe\n")
	if b, err := os.ReadFile(f.Name()); err != nil || string(b) != "content" {
		t.Errorf("the file holds %q (%v)", b, err)
	}
}
