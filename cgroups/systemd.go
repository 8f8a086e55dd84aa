package cgroups

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cgroups/internal/bus"
	"golang.org/x/sys/unix"
)

// patience is how long all of systemd's sockets together are waited for. A
// scope takes a few milliseconds.
const patience = 2 * time.Second

// A systemd is a manager that may be asked for a scope: root's is that of the
// system, and everyone else's their own.
type systemd struct {
	uid     int
	sockets []socket // in the order in which they are tried
}

// A socket is where a manager can be reached: its own, or a bus that it is on.
type socket struct {
	address string
	bus     bool
}

// dial connects to a manager. On a bus, that begins with being let in.
func (at socket) dial(deadline time.Time) (*bus.Conn, error) {
	c, err := bus.Dial(at.address, deadline)
	if err != nil || !at.bus {
		return c, err
	}
	if _, err := c.Call(bus.Call{Destination: busName, Path: busPath, Interface: busName, Member: "Hello"}); err != nil {
		c.Close()
		return nil, fmt.Errorf("call of Hello: %w", err)
	}
	return c, nil
}

// to is a call as it is made at the socket: only a bus has destinations.
func (at socket) to(call bus.Call) bus.Call {
	if !at.bus {
		call.Destination = ""
	}
	return call
}

// systemdOf is the manager of a user. An ordinary user's sockets are found by
// the environment, as systemctl finds them; a login by su or cron lacks that,
// and the folder has the same place nevertheless.
func systemdOf(uid int, getenv func(string) string) systemd {
	if uid == 0 {
		return systemd{0, []socket{{"/run/systemd/private", false}, {"/run/dbus/system_bus_socket", true}}}
	}
	dir := getenv("XDG_RUNTIME_DIR")
	if !path.IsAbs(dir) {
		dir = fmt.Sprintf("/run/user/%d", uid)
	}
	s := systemd{uid: uid, sockets: []socket{{path.Join(dir, "systemd/private"), false}}}
	for _, address := range append(busAddresses(getenv("DBUS_SESSION_BUS_ADDRESS")), path.Join(dir, "bus")) {
		if at := (socket{address, true}); !slices.Contains(s.sockets, at) {
			s.sockets = append(s.sockets, at)
		}
	}
	return s
}

// busAddresses are the Unix sockets of a D-Bus address, which lists ways to
// reach one bus (D-Bus Specification, "Server Addresses"). Ways through
// networks and other programs are left out.
func busAddresses(list string) []string {
	var found []string
	for way := range strings.SplitSeq(list, ";") {
		keys, ok := strings.CutPrefix(way, "unix:")
		if !ok {
			continue
		}
		for pair := range strings.SplitSeq(keys, ",") {
			switch key, value, _ := strings.Cut(pair, "="); {
			case strings.Contains(value, "%"): // escaped; no usual place needs that
			case key == "path":
				found = append(found, value)
			case key == "abstract":
				found = append(found, "@"+value)
			}
		}
	}
	return found
}

// errNoSystemd: there is none to be asked.
var errNoSystemd = errors.New("no socket of systemd's is there")

// ask asks for the scope where it can be had, all within the deadline. The
// first manager that answers decides.
func (s systemd) ask(sc scope, deadline time.Time, entered func() bool) error {
	var tried []error
	for _, at := range s.sockets {
		err := sc.start(at, deadline)
		for begun := time.Now(); passing(err, time.Since(begun)) && !entered() && time.Until(deadline) > 0; {
			time.Sleep(retryScope)
			err = sc.start(at, deadline)
		}
		if err == nil || entered() {
			return nil
		}
		if !absentSocket(err) {
			return fmt.Errorf("%s: %w", at.address, err)
		}
		tried = append(tried, fmt.Errorf("%s: %w", at.address, err))
	}
	return fmt.Errorf("%w (%w)", errNoSystemd, errors.Join(tried...))
}

const (
	retryScope = 20 * time.Millisecond
	// starting is how long a manager may take to come to a bus. A session's bus
	// is started by the first who asks for it, and the manager joins it then.
	starting = 500 * time.Millisecond
)

// passing says that a refusal may be gone in a moment. A name that is taken is
// so by another call of Find in this process, or by a unit that is going away.
func passing(err error, since time.Duration) bool {
	var refused *bus.Error
	if !errors.As(err, &refused) {
		return false
	}
	return refused.Name == errUnitExists || since < starting && (refused.Name == errNoOwner || refused.Name == errUnknown)
}

// absentSocket says that nobody listens, or not for us.
func absentSocket(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENAMETOOLONG)
}

// enter has systemd put this process, which is in the group self, into a scope
// of its own, and answers the scope's group as the kernel tells it.
func (s systemd) enter(self string, deadline time.Time) (string, error) {
	sc := scope{name: fmt.Sprintf("jail-%d.scope", os.Getpid()), slice: sliceOf(self, s.uid)}
	now := ""
	entered := func() bool {
		own, err := memberships()
		if err != nil {
			return false
		}
		now, _ = ownV2(own)
		return path.Base(home(now)) == sc.name
	}
	if err := s.ask(sc, deadline, entered); err != nil {
		return "", err
	}
	if !entered() {
		return "", fmt.Errorf("systemd says that %s is started, but this process is in %s", sc.name, now)
	}
	return now, nil
}
