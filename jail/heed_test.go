package jail

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What a program says of its files is looked for in so much of it and no more, however
// much of it is kept, and whatever words it is made of.
func TestWordsAreBounded(t *testing.T) {
	var denials []Denial
	for i := range mostPathDenials + 32 {
		denials = append(denials, Denial{What: fmt.Sprintf(`reading "/srv/h/a%d"`, i), Errno: "ENOENT", Count: 1, Grant: "--ro /srv/h"})
	}
	const size = 16 << 20
	for name, said := range map[string]string{
		"words": "annot " + strings.Repeat("a ", size/2), "names": "annot " + strings.Repeat("a1 ", size/3), "lines": strings.Repeat("annot a1\n", size/9),
		"one word": "annot " + strings.Repeat("a1/", size/3), "a path again and again": strings.Repeat("/srv/h/a1", size/9),
	} {
		for _, heeded := range []bool{false, true} {
			code := 1
			res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Denials: denials, Stderr: Output{Text: said, Tail: said}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			if heeded {
				res.Heed(said)
			} else {
				res.accuse("prog", "", res.saidOnStderr())
			}
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 || took > patience(10*time.Second) {
				t.Errorf("%s, heeded %v: %d bytes and %v for 16 MiB of them", name, heeded, allocated, took)
			}
		}
	}
}

// What a program says at its end, and as its first words, is heeded whatever is between.
func TestFirstAndLastWordsAreHeeded(t *testing.T) {
	const line = "open: “a b”, ‘lib/x.txt’: No such file or directory\n"
	filler := strings.Repeat("some more of it\n", 20000)
	for name, c := range map[string]Output{"first": {Text: line + filler}, "last": {Text: filler, Tail: filler + line}, "alone": {Text: line}} {
		code := 1
		res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Message: "m", Stderr: c,
			Denials: []Denial{{What: `reading "/srv/x"`, Errno: "ENOENT", Count: 1}, {What: `reading "/srv/lib/x.txt"`, Errno: "ENOENT", Count: 1, Grant: "--ro /srv/lib/x.txt"}}}
		res.accuse("prog", "", res.saidOnStderr())
		if !strings.Contains(res.Hint, "--ro /srv/lib/x.txt") {
			t.Errorf("%s: %q (%q), want the file that it tells of", name, res.Message, res.Hint)
		}
	}
}

// Names are looked up by a socket at each start of a shell: who fails by itself is told
// nothing of it, on stderr or elsewhere, and who speaks of the network or of sockets is.
func TestNamesAreLookedUpByAll(t *testing.T) {
	look := Denial{What: "socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)", Errno: "EPERM", Count: 2, Grant: "--unix"}
	for said, want := range map[string]string{
		"": "", "Error: 3 tests failed": "", "KeyError: 'x'": "", "ModuleNotFoundError: x": "its ", "socket.gaierror: Name or service not known": noNetwork,
		"PermissionError: [Errno 1] Operation not permitted, in socket.py": "with which libc looks names up",
	} {
		for _, heeded := range []bool{false, true} {
			code := 1
			res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Message: "m", Denials: []Denial{look}, Observed: &Observation{}}
			if res.accuse("prog", "", map[bool]string{false: said}[heeded]); heeded {
				res.Heed(said)
			}
			if !strings.Contains(res.Hint, want) || (res.Hint == "") != (want == "") || res.Message != "m" || res.Denials[0].Likely {
				t.Errorf("%q, heeded %v: %q (%q), want %q", said, heeded, res.Message, res.Hint, want)
			}
		}
	}
}

// What fails by itself has no hint, though its shell was refused a look-up of names.
func TestShellThatFailsByItself(t *testing.T) {
	needListener(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for _, script := range []string{"exit 3", "echo tests failed >&2; exit 1"} {
		s := shell("")
		s.Args = []string{bash, "-c", script}
		res := runBox(t, s, IO{})
		if want(t, res, ReasonExecutionFailed); res.Hint != "" {
			t.Errorf("%s: hint %q; %+v", script, res.Hint, res.Denials)
		}
	}
}
