package jail

import (
	"os"
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pid1"
)

// A terminal is a new pseudo-terminal for the program: the caller's own is
// never in the box, so nothing can be typed into it from there (TIOCSTI,
// CVE-2017-5226). While the box runs the caller's is in raw mode, and changes
// of its size are passed on.
type terminal struct {
	caller *os.File
	master int
	saved  *unix.Termios
	raw    unix.Termios
	told   chan os.Signal
	idle   chan struct{} // closed when nothing is passed on any more
}

// connectTTY makes the program's three descriptors the slave of a new pty.
func (s *streams) connectTTY(io IO) error {
	fail := func(op string, err error) error {
		return &SetupError{Stage: StageSession, Operation: op, Operand: "pseudo-terminal", Err: err, Remedy: "mount devpts on /dev/pts, or leave --tty out"}
	}
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail("open", err)
	}
	s.fds.add(master)
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return fail("ioctl", err)
	}
	number, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return fail("ioctl", err)
	}
	s.slave = "/dev/pts/" + strconv.Itoa(number)
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return fail("ioctl", errno)
	}
	slave := int(peer)
	s.fds.add(slave)
	// Held until the box is gone, or the terminal would end for us when the
	// program closes it, which may open it again (/dev/tty).
	held, err := unix.FcntlInt(peer, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fail("fcntl", err)
	}
	s.held.add(held)
	s.childEnds = [3]int{slave, slave, slave}
	s.from[0] = master
	s.tty = &terminal{caller: io.TTY, master: master, told: make(chan os.Signal, 1), idle: make(chan struct{})}
	s.tty.begin()
	if io.Stdin != nil {
		typed, err := unix.FcntlInt(uintptr(master), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return fail("fcntl", err)
		}
		s.feed = newFeeder(typed, "terminal")
	}
	return nil
}

func (t *terminal) begin() {
	t.resize()
	if saved, err := unix.IoctlGetTermios(int(t.caller.Fd()), unix.TCGETS); err == nil { // else there is no mode to set
		t.saved, t.raw = saved, rawMode(*saved)
		t.setRaw()
	}
	signal.Notify(t.told, unix.SIGWINCH, unix.SIGCONT)
	pid1.Alongside(func() { // until release
		defer close(t.idle)
		for s := range t.told {
			if s == unix.SIGCONT && t.saved != nil {
				t.setRaw() // a shell that stopped us has made the mode its own
			}
			t.resize()
		}
	})
}

// rawMode is cfmakeraw(3).
func rawMode(raw unix.Termios) unix.Termios {
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	return raw
}

func (t *terminal) setRaw() { unix.IoctlSetTermios(int(t.caller.Fd()), unix.TCSETSW, &t.raw) }

func (t *terminal) resize() {
	if size, err := unix.IoctlGetWinsize(int(t.caller.Fd()), unix.TIOCGWINSZ); err == nil {
		unix.IoctlSetWinsize(t.master, unix.TIOCSWINSZ, size)
	}
}

// release ends the use of the program's terminal: its descriptor may be
// somebody else's from here on.
func (t *terminal) release() {
	signal.Stop(t.told)
	close(t.told)
	<-t.idle
}

// restore gives the caller's terminal its own mode back. What the program wrote
// was for a raw one, so all of it has to be out before.
func (t *terminal) restore() {
	if t.saved != nil {
		unix.IoctlSetTermios(int(t.caller.Fd()), unix.TCSETSW, t.saved)
	}
}
