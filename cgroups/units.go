package cgroups

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cgroups/internal/bus"
	"golang.org/x/sys/unix"
)

// booted says that systemd manages this host (sd_booted(3)).
func booted() bool { return unix.Access("/run/systemd/system", unix.F_OK) == nil }

// holds says that a group is part of a unit of systemd's that was not handed
// over. Its attributes are systemd's then: when units beside it come and go, it
// may take controllers off the groups below, and limits go with them
// (CGROUP_DELEGATION.md, "Three Scenarios").
//
// Units that the system's manager hands over bear a mark: since systemd 244 one
// for root, and since 251 one for everyone. The managers of users leave none, so
// that of this one is asked.
func (s systemd) holds(group string, deadline time.Time) bool {
	unit, ok := unitOf(group)
	if !ok || !booted() {
		return false
	}
	if strings.Contains(path.Dir(unit), fmt.Sprintf("/user@%d.service", s.uid)) {
		return !s.delegates(path.Base(unit), deadline)
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

// delegates says that the manager has handed over a unit of its own, as far as
// it can be asked.
func (s systemd) delegates(unit string, deadline time.Time) bool {
	for _, at := range s.sockets {
		yes, err := at.delegates(unit, deadline)
		if err == nil {
			return yes
		}
		if !absentSocket(err) {
			return false
		}
	}
	return false
}

// delegates reads the property Delegate of a scope or a service.
func (at socket) delegates(unit string, deadline time.Time) (bool, error) {
	c, err := at.dial(deadline)
	if err != nil {
		return false, err
	}
	defer c.Close()
	kind := strings.TrimPrefix(path.Ext(unit), ".")
	w := &bus.Writer{}
	w.String(systemdName + "." + strings.ToUpper(kind[:1]) + kind[1:])
	w.String("Delegate")
	m, err := c.Call(at.to(bus.Call{Destination: systemdName, Path: systemdPath + "/unit/" + label(unit),
		Interface: "org.freedesktop.DBus.Properties", Member: "Get", Signature: "ss", Body: w.Bytes()}))
	if err != nil {
		return false, err
	}
	body := m.Body()
	if m.Signature != "v" || body.Signature() != "b" {
		return false, fmt.Errorf("property Delegate of %s is a %q, want a truth value", unit, m.Signature)
	}
	yes := body.Uint32() == 1
	return yes, body.Err()
}

// label is a unit's name as part of an object's path: all but letters and digits
// are written as their hexadecimal number, and a digit in front as well.
func label(unit string) string {
	var b strings.Builder
	for i, c := range []byte(unit) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "_%02x", c)
	}
	return b.String()
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
