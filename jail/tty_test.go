package jail

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// callerTTY is a terminal to call RunIO from: ours is its user's end, what is
// returned is its program's end.
func callerTTY(t *testing.T, rows, cols uint16) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		leaveOut(t, err.Error())
	}
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close(); ours.Close() })
	setSize(t, theirs, rows, cols)
	return ours, theirs
}

func setSize(t *testing.T, f *os.File, rows, cols uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: cols}); err != nil {
		t.Error(err)
	}
}

// screen is a Stdout on which something may be waited for.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	on   map[string]func() // called once its key was written
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	for key, f := range s.on {
		if strings.Contains(s.text.String(), key) {
			delete(s.on, key)
			f()
		}
	}
	return len(b), nil
}

// What a program finds, and what the terminal makes of what it writes.
func TestTTY(t *testing.T) {
	for _, c := range []struct {
		name, script, typed, want string
	}{
		{"it has one on every descriptor", "test -t 0 && test -t 1 && test -t 2 && echo yes", "", "yes\r\n"},
		{"of the caller's size", "stty size", "", "31 97\r\n"},
		{"a line is ended as on a terminal", "printf 'a\\nb\\n'; echo c >&2", "", "a\r\nb\r\nc\r\n"},
		{"it controls the session", "echo x >/dev/tty", "", "x\r\n"},
		{"it has a name", "tty", "", "/dev/console\r\n"},
		{"it leads the session and its foreground group", "cut -d' ' -f6,8 /proc/self/stat", "", "2 2\r\n"},
		{"what is typed arrives, and is echoed", "read x; echo got $x", "hello\n", "hello\r\ngot hello\r\n"},
		{"closed and opened again, it is still heard", "exec <&- >&- 2>&-; sleep 0.3; echo again >/dev/tty", "", "again\r\n"},
		{"the end of input can be typed", "cat; echo over", "\x04", "over\r\n"},
		{"opened by name it takes commands", "stty size </dev/tty; stty size </dev/console; stty size </proc/self/fd/0", "", "31 97\r\n31 97\r\n31 97\r\n"},
		// Not TERM, which the job still ignores, as its shell does, until it is sleep.
		{"a shell controls jobs on it", "sh -ic 'sleep 600 & kill -KILL %1; wait; echo done' 2>&1 | grep -v Killed", "", "done\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, tty := callerTTY(t, 31, 97)
			out := &screen{}
			s := shell(c.script)
			s.Limits.Timeout = patience(time.Minute)
			io := IO{TTY: tty, Stdout: out}
			if c.typed != "" {
				io.Stdin = strings.NewReader(c.typed)
			}
			want(t, runBox(t, s, io), ReasonOK)
			if got := out.text.String(); got != c.want {
				t.Errorf("%q on the terminal, want %q", got, c.want)
			}
		})
	}
}

// An interrupt that is typed is the program's, and nobody else's.
func TestTTYInterrupt(t *testing.T) {
	_, tty := callerTTY(t, 24, 80)
	r, w := io.Pipe()
	defer w.Close()
	out := &screen{on: map[string]func(){"ready": func() { go w.Write([]byte("\x03")) }}}
	res := runBox(t, shell("echo ready; exec sleep 20"), IO{TTY: tty, Stdin: r, Stdout: out})
	want(t, res, ReasonSignaled)
	if res.Signal == nil || *res.Signal != "SIGINT" {
		t.Errorf("record %s", text(res))
	}
}

// A change of the caller's window is passed on while the box runs.
func TestTTYResize(t *testing.T) {
	_, tty := callerTTY(t, 24, 80)
	ctx, cancel := context.WithTimeout(context.Background(), patience(18*time.Second))
	defer cancel()
	out := &screen{on: map[string]func(){
		"24 80": func() {
			setSize(t, tty, 50, 132)
			unix.Kill(os.Getpid(), unix.SIGWINCH) // as the caller's terminal does
		},
		"50 132": cancel,
	}}
	_, err := RunIO(ctx, shell("trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done"), IO{TTY: tty, Stdout: out})
	if got := out.text.String(); err != nil || !strings.Contains(got, "50 132") {
		t.Errorf("on the terminal: %q (%v)", got, err)
	}
}

// The caller's terminal is raw while the box runs, and afterwards as before,
// however it ended.
func TestTTYModeIsRestored(t *testing.T) {
	_, tty := callerTTY(t, 24, 80)
	mode := func() unix.Termios {
		m, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	before := mode()
	for script, missing := range map[string]bool{"echo x": false, "kill -KILL $$": false, "": true} {
		s := shell(script)
		if missing {
			s.Args = []string{"/no/such/program"}
		}
		during := before
		out := &screen{on: map[string]func(){"x": func() { during = mode() }}}
		RunIO(context.Background(), s, IO{TTY: tty, Stdout: out})
		if script == "echo x" && (during.Lflag&(unix.ECHO|unix.ICANON|unix.ISIG) != 0 || during.Oflag&unix.OPOST != 0) {
			t.Errorf("the caller's terminal was not raw: %+v", during)
		}
		if after := mode(); after != before {
			t.Errorf("%q: the caller's terminal was %+v and is %+v", script, before, after)
		}
	}
}

// The terminal is the only device that takes commands.
func TestTTYAloneTakesCommands(t *testing.T) {
	h, err := probeHost()
	if err != nil {
		t.Fatal(err)
	}
	if h.landlockABI < 5 {
		leaveOut(t, "Landlock decides about commands of devices from ABI 5 on")
	}
	_, tty := callerTTY(t, 24, 80)
	out := &screen{}
	want(t, runBox(t, insideBox(t, "deviceCommands"), IO{TTY: tty, Stdout: out}), ReasonOK)
	text := "null permission denied\r\nzero permission denied\r\nfull permission denied\r\n" +
		"random permission denied\r\nurandom permission denied\r\ntty <nil>\r\nconsole <nil>\r\n"
	if got := out.text.String(); got != text {
		t.Errorf("%q, want %q", got, text)
	}
}

// A jail that was stopped and goes on makes the mode its own again: the shell that
// it was stopped from has one of its own meanwhile.
func TestTTYGoesOnRaw(t *testing.T) {
	_, tty := callerTTY(t, 24, 80)
	before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience(18*time.Second))
	defer cancel()
	raw := false
	out := &screen{on: map[string]func(){"x": func() {
		unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, before)
		unix.Kill(os.Getpid(), unix.SIGCONT)
		for ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
			if m, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS); err == nil && m.Lflag&unix.ICANON == 0 {
				raw = true
				break
			}
		}
		cancel()
	}}}
	RunIO(ctx, shell("echo x; exec sleep 20"), IO{TTY: tty, Stdout: out})
	if !raw {
		t.Error("the caller's terminal was not raw again")
	}
}

// Nothing in the box leads to the caller's terminal, nor can a program
// type into the one that it has (CVE-2017-5226).
func TestTTYIsNotTheCallers(t *testing.T) {
	ours, tty := callerTTY(t, 24, 80)
	out := &screen{}
	s := insideBox(t, "typeAhead")
	res := runBox(t, s, IO{TTY: tty, Stdout: out})
	want(t, res, ReasonOK)
	if got := out.text.String(); got != "operation not permitted\r\n" {
		t.Errorf("TIOCSTI: %q", got)
	}
	out = &screen{}
	s = shell("for d in /dev/pts /dev/ptmx /dev/tty0; do test -e $d && echo $d; done; true")
	runBox(t, s, IO{TTY: tty, Stdout: out})
	if got := out.text.String(); got != "" {
		t.Errorf("the box has terminals of the host's: %q", got)
	}
	fds := []unix.PollFd{{Fd: int32(ours.Fd()), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, 0); n != 0 || err != nil {
		b := make([]byte, 100)
		n, err := ours.Read(b)
		t.Errorf("on the caller's terminal: %q (%v)", b[:max(n, 0)], err)
	}
}
