package attacks

import (
	"fmt"
	"os"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// terminal: typing what the caller's shell will read.
func terminal() []Row {
	walls := []ablation.Wall{ablation.CloseFDs, ablation.Session, ablation.Seccomp}
	return []Row{
		{
			name: "type into the caller's terminal", source: "bubblewrap CVE-2017-5226: TIOCSTI",
			attack: inject(unix.TIOCSTI), arena: typedOn, walls: walls, skip: needsTIOCSTI,
		},
		{
			name: "the same with garbage above the low word", source: "flatpak CVE-2019-10063: a 64-bit compare of a 32-bit argument",
			attack: inject(unix.TIOCSTI | 0xdead<<32), arena: typedOn, walls: walls, skip: needsTIOCSTI,
		},
		{
			name: "open the controlling terminal", source: "setsid(2); nsjail and bubblewrap --new-session",
			attack: func([]string) error {
				tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
				if err != nil {
					return err
				}
				return tty.Close()
			},
			arena: onTerminal,
			walls: []ablation.Wall{ablation.Session, ablation.Root, ablation.Landlock},
		},
	}
}

// inject types a line on every descriptor that is a terminal.
func inject(request uintptr) func([]string) error {
	return func([]string) error {
		return each(func(fd int) error {
			for _, c := range []byte("OWNED\n") {
				if _, err := rawSyscall(unix.SYS_IOCTL, uintptr(fd), request, pointer(&c)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// onTerminal gives the caller a controlling terminal that the program inherits
// a descriptor of.
func onTerminal(a *Arena) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		a.t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		a.t.Fatal(err)
	}
	name := fmt.Sprintf("/dev/pts/%d", n)
	a.tty = a.open(a.own(name), os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK)
}

// typedOn is onTerminal with what somebody typed there as the effect.
func typedOn(a *Arena) {
	onTerminal(a)
	a.effect = func(Answer) error {
		if err := reads(int(a.tty.Fd()), "OWNED\n"); err != nil {
			return fmt.Errorf("nothing was typed: %w", err)
		}
		return nil
	}
}

// needsTIOCSTI: Linux 6.2 can forbid it to everybody.
func needsTIOCSTI(Role) Reason {
	value, err := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
	if err == nil && strings.TrimSpace(string(value)) == "0" {
		return noHardware
	}
	return ""
}
