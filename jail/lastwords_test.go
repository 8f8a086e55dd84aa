package jail

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// A failed run has the same hint wherever its output goes: kept, handed to a writer, or
// moved to a file without a copy, much of it or little.
func TestHintOfPassedOnOutput(t *testing.T) {
	const more = 3 << 20
	const fails = "echo 'Traceback: FileNotFoundError: [Errno 2] No such file or directory: /nowhere' >&2; exit 1"
	for _, c := range []struct {
		name, script string
		stderr       int
	}{
		{"little", fails, 0},
		{"much on stdout", bytesOut(more) + "; " + fails, 0},
		{"much on stderr", "(" + bytesOut(more) + ") >&2; " + fails, more},
		{"much more after it began", "echo begins >&2; (" + bytesOut(more) + ") >&2; " + fails, more + len("begins\n")},
	} {
		s := shell(c.script)
		s.Limits.Output = 16 << 20
		kept := runBox(t, s, IO{})
		if !strings.Contains(kept.Hint, "its stderr tells of a file") {
			t.Fatalf("%s: kept, the hint is %q", c.name, kept.Hint)
		}
		var buffers [2]bytes.Buffer
		if res := runBox(t, s, IO{Stdout: &buffers[0], Stderr: &buffers[1]}); res.Hint != kept.Hint || res.Message != kept.Message {
			t.Errorf("%s: handed on: %q, %q, want %q", c.name, res.Message, res.Hint, kept.Hint)
		}
		rd, wr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan []byte)
		go func() { b, _ := io.ReadAll(rd); rd.Close(); got <- b }()
		res := runBox(t, s, IO{Stdout: io.Discard, Stderr: wr})
		wr.Close()
		if b := <-got; res.Hint != kept.Hint || res.Message != kept.Message || !bytes.Equal(b, buffers[1].Bytes()) || int64(len(b)) != res.Stderr.Bytes || len(b) < c.stderr {
			t.Errorf("%s: moved: %q, want %q; %d bytes came, of %d", c.name, res.Hint, kept.Hint, len(b), buffers[1].Len())
		}
	}
}

// What is kept of what is passed on is its end, and no more.
func TestRememberKeepsTheEnd(t *testing.T) {
	for _, piece := range []int{1, 7, 4096, mostLast - 1, mostLast, mostLast + 1, 5 * mostLast} {
		s := &sink{}
		var all []byte
		for len(all) < 6*mostLast {
			b := bytes.Repeat([]byte{byte('a' + len(all)%23)}, piece)
			all = append(all, b...)
			s.remember(b)
			if len(s.last) >= 2*mostLast || cap(s.last) > 4*mostLast {
				t.Fatalf("pieces of %d: %d bytes are kept, in %d", piece, len(s.last), cap(s.last))
			}
		}
		st := &streams{sinks: [2]*sink{{}, s}}
		if want := string(all[len(all)-mostLast:]); st.lastWords() != want {
			t.Errorf("pieces of %d: what is kept is not the end", piece)
		}
	}
	if (&streams{}).lastWords() != "" || (*streams)(nil).lastWords() != "" {
		t.Error("words of nobody")
	}
}

// A library that the loader does not find is named, and what shows it, by what each loader
// says; a path is none to look for in a folder.
func TestLoaderHint(t *testing.T) {
	for said, want := range map[string]string{
		"./main: error while loading shared libraries: libfoo.so: cannot open shared object file: No such file or directory\n": `"libfoo.so"`,
		"OSError: libfoo.so.3: cannot open shared object file: No such file or directory\n":                                    `"libfoo.so.3"`,
		"Error loading shared library libbar.so: No such file or directory (needed by ./main)\n":                               `"libbar.so"`,
		"OSError: /opt/libfoo.so: cannot open shared object file: No such file or directory\n":                                 "",
		": cannot open shared object file\n": "",
		"No such file or directory\n":        "",
	} {
		r := &run{}
		r.result.Reason = ReasonExecutionFailed
		got := r.loaderHint("before\n" + said + "after\n")
		if (got == "") != (want == "") || want != "" && (!strings.Contains(got, "found no "+want) || !strings.Contains(got, "--ro FOLDER --env LD_LIBRARY_PATH=FOLDER")) {
			t.Errorf("%q: %q, want one of %q", said, got, want)
		}
		r.result.Reason = ReasonOK
		if got := r.loaderHint(said); got != "" {
			t.Errorf("%q of a program that ended well: %q", said, got)
		}
	}
}
