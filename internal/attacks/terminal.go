package attacks

import (
	"errors"
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
		if err := a.reads(int(a.tty.Fd()), "OWNED\n"); err != nil {
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

// settings: of the caller's terminal, by a descriptor that was handed down.
func settings() []Row {
	walls := []ablation.Wall{ablation.CloseFDs, ablation.Seccomp}
	return []Row{
		{
			name: "another line discipline", source: "CVE-2017-2636 (n_hdlc), CVE-2023-6546 (n_gsm): TIOCSETD loads kernel code",
			attack: onTTY(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSETD, 0) }),
			arena:  onTerminal, walls: walls,
		},
		{
			name: "turn the caller's echo off", source: "agent-infra#251: a terminal left raw; tcsetattr(3): what is typed isn't seen",
			attack: onTTY(func(fd int) error {
				t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
				if err != nil {
					return err
				}
				t.Lflag &^= unix.ECHO
				return unix.IoctlSetTermios(fd, unix.TCSETS, t)
			}),
			arena: func(a *Arena) {
				onTerminal(a)
				a.effect = func(Answer) error {
					t, err := unix.IoctlGetTermios(int(a.tty.Fd()), unix.TCGETS)
					if err == nil && t.Lflag&unix.ECHO != 0 {
						err = errors.New("it echoes")
					}
					return err
				}
			},
			walls: []ablation.Wall{ablation.CloseFDs},
		},
		{
			name: "write to the caller's terminal", source: "CVE-2003-0063: escape sequences that a terminal obeys",
			attack: onTTY(func(fd int) error {
				_, err := unix.Write(fd, []byte("OWNED"))
				return err
			}),
			arena: onTerminal, walls: []ablation.Wall{ablation.CloseFDs},
		},
	}
}

// onTTY tries it on every descriptor that is a terminal.
func onTTY(try func(fd int) error) func([]string) error {
	return func([]string) error {
		return each(func(fd int) error {
			if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
				return unix.EBADF
			}
			return try(fd)
		})
	}
}
