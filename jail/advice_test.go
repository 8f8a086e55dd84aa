package jail

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
)

// Of what a failed program was refused the message names what is likely why, the
// hint what may be, and a run that did not fail says nothing of it.
func TestAccuse(t *testing.T) {
	denial := func(what, grant, never string) Denial {
		return Denial{What: what, Errno: "EPERM", Count: 1, Grant: grant, Never: never}
	}
	inet, named, name := denial("socket(AF_INET, SOCK_STREAM)", "--net loopback", ""), denial("socket(AF_UNIX, SOCK_STREAM)", "--unix", ""), denial("socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)", "--unix", "")
	ptrace, chroot, flock := denial("ptrace(PTRACE_TRACEME, 0, …)", "--allow-syscall ptrace", ""), denial(`chroot("/")`, "", "the reason"), denial("flock(fd, LOCK_EX)", "--allow-syscall flock", "")
	trial, sought := denial("socket(AF_INET6, SOCK_STREAM)", "--net loopback", ""), denial(`reading "/etc/x"`, "--ro /etc/x", "")
	sought.common = true
	rw, denied := denial(`making "/srv/out/f"`, "--rw /srv/out in place of --ro /srv/out", ""), denial("ptrace(PTRACE_TRACEME, 0, …)", "--allow-syscall ptrace in place of --deny-syscall ptrace", "")
	looked, above, opened := denial(`looking at "/srv/h.js"`, "--ro /srv/h.js", ""), denial(`looking at "/srv/a"`, "--ro /srv/a", ""), denial(`reading "/srv/a/b"`, "--ro /srv/a/b", "")
	looked.common, above.common = true, true
	rest := Denial{What: "other system calls", Count: 9}
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		reason  Reason
		code    *int
		denials []Denial
		message string
		hint    string
		likely  int
		stderr  string
	}{
		{ReasonOK, code(0), []Denial{inet}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), nil, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{rest}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{flock, name, named, ptrace, inet}, "m, and it was refused the network: socket(AF_INET, SOCK_STREAM) (EPERM)", "127.0.0.1", 1, ""},
		{ReasonExecutionFailed, code(1), []Denial{flock, named, chroot, ptrace, rest}, `m, and it was refused chroot("/") (EPERM)`, "no flag allows it (the reason)", 2, ""},
		{ReasonSignaled, nil, []Denial{ptrace}, "m, and it was refused ptrace(PTRACE_TRACEME, 0, …) (EPERM)", "--allow-syscall ptrace allows it", 1, ""},
		{ReasonExecutionFailed, code(1), []Denial{flock, name}, "m", "if one was a host's, a box reaches no network", 0, "can't connect to the server"},
		{ReasonExecutionFailed, code(1), []Denial{name}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{name}, "m", "what listens on the host, such as Docker, is not in a box; for a Unix socket of its own, --unix allows it", 0, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."},
		{ReasonExecutionFailed, code(1), []Denial{name}, "m", "", 0, "tests failed"},
		{ReasonSignaled, nil, []Denial{name}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{name}, "m", "with which libc looks names up", 0, "PermissionError in socket.socket"},
		{ReasonExecutionFailed, code(127), []Denial{flock}, "m", "stderr names it, and --ro grants it; it was refused flock(fd, LOCK_EX) (EPERM), which many", 0, ""},
		{ReasonExecutionFailed, code(126), nil, "m", "could not execute it", 0, ""},
		{ReasonTimeout, nil, []Denial{ptrace}, "m", "", 0, ""},
		{ReasonTimeout, nil, []Denial{inet}, "m, and it was refused the network", "no network", 1, ""},
		{ReasonOutOfMemory, nil, []Denial{inet}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{trial, name}, "m", "with which libc looks names up", 0, "not connected"},
		{ReasonExecutionFailed, code(1), []Denial{sought}, "m", "", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{sought, trial}, "m, and it was refused reading", "--ro /etc/x allows it", 1, "cat: /etc/x: No such file"},
		{ReasonExecutionFailed, code(1), []Denial{name, trial}, "m, and it was refused the network", "no network", 1, "URLError: Name or service not known"},
		{ReasonExecutionFailed, code(1), []Denial{name, trial}, "m", "a box reaches no network", 0, "ERROR: No matching distribution found for six"},
		{ReasonExecutionFailed, code(1), []Denial{name}, "m", "a box reaches no network", 0, "curl: (6) Could not resolve host: example.com"},
		{ReasonExecutionFailed, code(1), nil, "m", "a box reaches no network", 0, "connect: Network is unreachable"},
		{ReasonExecutionFailed, code(1), []Denial{trial}, "m", "if that may be it: a box reaches no network", 0, ""},
		{ReasonExecutionFailed, code(1), []Denial{rw}, "m, and it was refused making", "--rw /srv/out in place of --ro /srv/out allows it", 1, ""},
		{ReasonExecutionFailed, code(1), []Denial{denied}, "m, and it was refused ptrace", "--allow-syscall ptrace in place of --deny-syscall ptrace allows it", 1, ""},
		{ReasonExecutionFailed, code(1), []Denial{looked, ptrace}, "m, and it was refused looking at", "--ro /srv/h.js allows it", 1, "Error: Cannot find module './h.js'"},
		{ReasonExecutionFailed, code(1), []Denial{looked}, "m", "", 0, "it was h.js"},
		{ReasonExecutionFailed, code(1), []Denial{looked}, "m", "", 0, "cannot open /srv/h.js.map"},
		{ReasonExecutionFailed, code(1), []Denial{looked}, "m, and", "--ro /srv/h.js allows it", 1, "I need /srv/h.js."},
		{ReasonExecutionFailed, code(1), []Denial{above, opened}, `m, and it was refused reading "/srv/a/b"`, "--ro /srv/a/b allows it", 1, "cat: /srv/a/b: No such file or directory"},
		{ReasonExecutionFailed, code(1), []Denial{looked, opened}, `m, and it was refused reading "/srv/a/b"`, "--ro /srv/a/b allows it", 1, "tar: b: Cannot open: No such file or directory"},
	} {
		res := Result{Reason: c.reason, ExitCode: c.code, Message: "m", Denials: append([]Denial(nil), c.denials...)}
		res.Stderr.Text = c.stderr
		res.accuse("/bin/x", "", res.saidOnStderr())
		likely := 0
		for _, d := range res.Denials {
			if d.Likely {
				likely++
			}
		}
		if c.message == "m" && res.Message != "m" || !strings.HasPrefix(res.Message, c.message) || !strings.Contains(res.Hint, c.hint) || (res.Hint == "") != (c.hint == "") || likely != c.likely {
			t.Errorf("%s after %v: %q (%q), %d likely; want %q (%q), %d", c.reason, c.denials, res.Message, res.Hint, likely, c.message, c.hint, c.likely)
		}
	}
}

// What many programs do without one did not that failed and names it.
func TestSoughtAndMissed(t *testing.T) {
	for said, sought := range map[string]bool{"FileNotFoundError: [Errno 2] No such file or directory: '/etc/resolv.conf'": false, "KeyError: 'x'": true, "": true} {
		code := 1
		res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Denials: []Denial{{What: `reading "/etc/resolv.conf"`, Errno: "ENOENT", Count: 1, Grant: "--ro /etc/resolv.conf", common: true}}}
		if res.accuse("/bin/x", "", said); res.Denials[0].Sought() != sought {
			t.Errorf("after %q: Sought() = %v, want %v", said, !sought, sought)
		}
	}
}

// Calls that are of no use alone are granted together, whichever was refused.
func TestGrantedTogether(t *testing.T) {
	for _, name := range []string{"inotify_init", "inotify_init1"} {
		if calls := together(name); !slices.Contains(calls, name) || !slices.Contains(calls, "inotify_add_watch") {
			t.Errorf("together(%s) = %v, want it and inotify_add_watch", name, calls)
		}
	}
}

// No reason names what is in the source.
func TestReasonsAreForPeople(t *testing.T) {
	identifier := regexp.MustCompile(`\b[A-Z][a-z]+[A-Z]\w*|\bsee [A-Z][a-z]+`)
	for nr := range 470 {
		name := seccomp.Name(nr)
		if why := seccomp.Why(name); identifier.MatchString(why) {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// What is said elsewhere than on stderr is heeded as if it was said there, but where
// something likelier is known.
func TestHeed(t *testing.T) {
	const said = "FileNotFoundError: [Errno 2] No such file or directory: '/etc/x'"
	sought := Denial{What: `reading "/etc/x"`, Errno: "ENOENT", Count: 1, Grant: "--ro /etc/x", common: true}
	likely := Denial{What: "chroot(\"/\")", Errno: "EPERM", Count: 1, Likely: true}
	for _, c := range []struct {
		name          string
		res           Result
		message, hint string
	}{
		{"traced", Result{Reason: ReasonExecutionFailed, Hint: "h", Denials: []Denial{sought}}, `m, and it was refused reading "/etc/x" (ENOENT)`, "--ro /etc/x allows it"},
		{"not traced", Result{Reason: ReasonExecutionFailed, Hint: "h", Observed: &Observation{}}, "m",
			"its error tells of a file (No such file or directory: \"/etc/x\"): " + notShown + "; with --trace the record names what of files it was refused, and what allows that"},
		{"a command", Result{Reason: ReasonExecutionFailed, Hint: "h", Observed: &Observation{}, Error: &Thrown{Trace: "  File \"subprocess.py\", line 1, in _execute_child\n" + said + "/\nFileNotFoundError: [Errno 2] No such file or directory: 'x'\n"}}, "m",
			"its error tells of a file (No such file or directory: \"/etc/x\"): " + notShown + "; with --trace the record names what of files it was refused, and what allows that"},
		{"a command by its name", Result{Reason: ReasonExecutionFailed, Hint: "h", Error: &Thrown{Trace: "  File \"subprocess.py\", line 1, in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: 'x'\n"}}, "m",
			`the program found no "x" in the PATH of the box: ` + startedByPath},
		{"likelier", Result{Reason: ReasonExecutionFailed, Hint: "h", Denials: []Denial{sought, likely}}, "m", "h"},
		{"not failed", Result{Reason: ReasonOK, Denials: []Denial{sought}}, "m", ""},
	} {
		c.res.Message = "m"
		if c.res.Heed(said); c.res.Message != c.message || c.res.Hint != c.hint {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, c.res.Message, c.res.Hint, c.message, c.hint)
		}
	}
}

// A socket that was refused is blamed before it is known what was thrown. If that is of a
// file, and nothing that was said of a connection, it was not the socket, as by a program
// that says it on stderr.
func TestHeedAcquitsTheNetwork(t *testing.T) {
	const missing, path = "FileNotFoundError: [Errno 2] No such file or directory: '/nosuch'", `: "/nosuch"`
	socket := Denial{What: "socket(AF_INET, SOCK_STREAM)", Errno: "EAFNOSUPPORT", Count: 1}
	chroot := Denial{What: `chroot("/")`, Errno: "EPERM", Count: 1, Never: "n"}
	for name, c := range map[string]struct {
		denials             []Denial
		stderr, thrown      string
		trace, message, why string
	}{
		"a file":              {[]Denial{socket}, "", missing, "", "m", "its error tells of a file"},
		"Node.js":             {[]Denial{socket}, "", "Error: ENOENT: no such file or directory, open '/nosuch'", "", "m", "its error tells of a file"},
		"a connection":        {[]Denial{socket}, "", "OSError: [Errno 97] Address family not supported by protocol", "", "m" + refusedNetwork + socket.inWords(), noNetwork},
		"neither":             {[]Denial{socket}, "", "ZeroDivisionError: division by zero", "", "m" + refusedNetwork + socket.inWords(), noNetwork},
		"a child's":           {[]Denial{socket}, "curl: (6) Could not resolve host: x\n", missing, "", "m" + refusedNetwork + socket.inWords(), noNetwork},
		"while it was caught": {[]Denial{socket}, "", missing, "OSError: [Errno 97] Address family not supported by protocol\n\nDuring handling", "m" + refusedNetwork + socket.inWords(), noNetwork},
		"something else":      {[]Denial{socket, chroot}, "", missing, "", `m, and it was refused chroot("/") (EPERM)`, "no flag allows it"},
	} {
		code := 1
		res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Message: "m", Denials: c.denials, Observed: &Observation{}, Stderr: Output{Text: c.stderr}, Error: &Thrown{Trace: c.trace}}
		res.accuse("/bin/x", "", res.saidOnStderr())
		res.Heed(c.thrown)
		likely := slices.ContainsFunc(res.Denials, func(d Denial) bool { return d.Likely && isNetwork(d) })
		if res.Message != c.message || !strings.HasPrefix(res.Hint, c.why) || likely != strings.Contains(c.message, refusedNetwork) ||
			strings.HasPrefix(c.why, "its error") && !strings.Contains(res.Hint, path) {
			t.Errorf("%s: %q, %q, likely %v; want %q, %q", name, res.Message, res.Hint, likely, c.message, c.why)
		}
	}
}

// What waits for the network is not first told to wait for longer.
func TestAccuseOfWaiting(t *testing.T) {
	res := Result{Reason: ReasonTimeout, Message: "m", Hint: "raise --timeout", Denials: []Denial{{What: "socket(AF_INET, SOCK_STREAM)", Errno: "EPERM", Count: 1}}}
	if res.accuse("/bin/x", "", ""); res.Hint != noNetwork+"; raise --timeout" {
		t.Errorf("hint %q, want the network first", res.Hint)
	}
}

// A call that only an answer of absence is heard for is told where the program speaks of
// that, and not where it speaks of something else.
func TestAccuseOfAbsence(t *testing.T) {
	for said, likely := range map[string]bool{
		"go: RLock /srv/go.mod: function not implemented": true, "flock: Function not implemented": true, "Error: ENOSYS": true,
		"assertion failed": false, "": false,
	} {
		code := 1
		res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Message: "m", Denials: []Denial{{What: "flock(fd, LOCK_EX)", Errno: "ENOSYS", Count: 1, Grant: "--allow-syscall flock"}}}
		res.accuse("/bin/x", "", said)
		if res.Denials[0].Likely != likely {
			t.Errorf("after %q: likely is %v, want %v (%s)", said, !likely, likely, res.Hint)
		}
	}
}
