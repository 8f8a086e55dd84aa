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
// first manager that answers decides. A name that is taken is taken by another
// call of Find in this process, and it is waited for that one's end, or by a
// unit that is just going away.
func (s systemd) ask(sc scope, deadline time.Time, entered func() bool) error {
	var tried []error
	for _, at := range s.sockets {
		err := sc.start(at, deadline)
		var refused *bus.Error
		for errors.As(err, &refused) && refused.Name == errUnitExists && !entered() && time.Until(deadline) > 0 {
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

const retryScope = 20 * time.Millisecond

// absentSocket says that nobody listens, or not for us.
func absentSocket(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENAMETOOLONG)
}

// booted says that systemd manages this host (sd_booted(3)).
func booted() bool { return unix.Access("/run/systemd/system", unix.F_OK) == nil }

// undelegated says that a group is part of a unit of systemd's that was not
// handed over. Its attributes are systemd's then: when units beside it come and
// go, it may take controllers off the groups below, and limits go with them
// (CGROUP_DELEGATION.md, "Three Scenarios"). Units that are handed over bear a
// mark, for root since systemd 244, and for everyone since 251.
func undelegated(group string) bool {
	if !booted() {
		return false
	}
	unit, ok := unitOf(group)
	if !ok {
		return false
	}
	d, _, err := locate(V2, "", unit, "")
	if err != nil {
		return false
	}
	defer d.close()
	var mark [8]byte
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Fgetxattr(d.fd, name, mark[:]); err == nil && string(mark[:n]) == "1" {
			return false
		}
	}
	return true
}

// unitOf is the closest group at or above group that is a unit of systemd's,
// by its name.
func unitOf(group string) (string, bool) {
	for ; group != "/" && group != "."; group = path.Dir(group) {
		switch path.Ext(group) {
		case ".scope", ".service", ".slice":
			return group, true
		}
	}
	return "", false
}

// sliceOf is the slice that group is in, if the manager of uid is the one that
// it belongs to. A scope in the same one stays below the same limits; in
// another, it would be a way out of them.
func sliceOf(group string, uid int) string {
	units := strings.Split(strings.Trim(group, "/"), "/")
	user := slices.IndexFunc(units, func(u string) bool { return strings.HasPrefix(u, "user@") && strings.HasSuffix(u, ".service") })
	switch {
	case uid == 0 && user >= 0:
		units = units[:user]
	case uid != 0 && user < 0, uid != 0 && units[user] != fmt.Sprintf("user@%d.service", uid):
		return ""
	case uid != 0:
		units = units[user+1:]
	}
	for _, u := range slices.Backward(units) {
		if strings.HasSuffix(u, ".slice") {
			return u
		}
	}
	return ""
}

// enterScope has systemd put this process, which is in the group self, into a
// scope of its own, and answers the scope's group as the kernel tells it.
func enterScope(self string) (string, error) {
	return systemdOf(os.Geteuid(), os.Getenv).enter(self, time.Now().Add(patience))
}

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
