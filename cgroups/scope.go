package cgroups

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-75010da9/jail/cgroups/internal/bus"
)

// A scope is a group that systemd makes around processes that it did not start
// (systemd.scope(5)), and removes when the last of them ends.
type scope struct {
	name  string // of the unit
	slice string // the unit that the scope is to be part of, or "" for the manager's default
}

// Names of systemd's interface, org.freedesktop.systemd1(5).
const (
	systemdName    = "org.freedesktop.systemd1"
	systemdPath    = "/org/freedesktop/systemd1"
	systemdManager = "org.freedesktop.systemd1.Manager"
	busName        = "org.freedesktop.DBus"
	busPath        = "/org/freedesktop/DBus"
	jobRemoved     = "JobRemoved"
	jobMatch       = "type='signal',sender='" + systemdName + "',path='" + systemdPath + "',interface='" + systemdManager + "',member='" + jobRemoved + "'"
	errUnitExists  = "org.freedesktop.systemd1.UnitExists"
	// Busses differ in how they say that a service is not there.
	errNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
	errUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
)

// call asks for the scope, with the sender in it and handed over to it.
//
// The sender is named by the process id 0, which the manager takes from the
// socket's credentials: our own number means another process to it where we
// are in another PID namespace.
//
// Delegate does more than allow groups below: memory that runs out in one of
// them then does not end the scope (OOMPolicy=continue is the default of
// delegated units), and with them us. CollectMode lets the unit go also if it
// ends as failed, or its name would stay taken.
func (s scope) call() bus.Call {
	w := &bus.Writer{}
	w.String(s.name)
	w.String("fail") // rather than replace a job that is queued for the unit
	property := func(name, kind string, value func()) {
		w.Align(8)
		w.String(name)
		w.Signature(kind)
		value()
	}
	w.Array(8, func() {
		property("Description", "s", func() { w.String("control groups of jail's boxes") })
		property("CollectMode", "s", func() { w.String("inactive-or-failed") })
		if s.slice != "" {
			property("Slice", "s", func() { w.String(s.slice) })
		}
		property("Delegate", "b", func() { w.Bool(true) })
		property("PIDs", "au", func() { w.Array(4, func() { w.Uint32(0) }) })
	})
	w.Array(8, func() {}) // no units that go with it
	return bus.Call{Destination: systemdName, Path: systemdPath, Interface: systemdManager, Member: "StartTransientUnit",
		Signature: "ssa(sv)a(sa(sv))", Body: w.Bytes()}
}

// subscription has word sent of jobs that end. A manager's own socket needs none
// of it, and sends word to all who are connected.
func subscription() []bus.Call {
	match := &bus.Writer{}
	match.String(jobMatch)
	return []bus.Call{
		{Destination: busName, Path: busPath, Interface: busName, Member: "AddMatch", Signature: "s", Body: match.Bytes()},
		{Destination: systemdName, Path: systemdPath, Interface: systemdManager, Member: "Subscribe"},
	}
}

// start asks the manager at a socket for the scope and waits until it says
// that the job is done, which is after this process was moved.
func (s scope) start(at socket, deadline time.Time) error {
	c, err := at.dial(deadline)
	if err != nil {
		return err
	}
	defer c.Close()
	if at.bus {
		for _, first := range subscription() {
			if _, err := c.Send(first); err != nil {
				return fmt.Errorf("%s: %w", first.Member, err)
			}
		}
	}
	call := at.to(s.call())
	serial, err := c.Send(call)
	if err != nil {
		return fmt.Errorf("%s: %w", call.Member, err)
	}
	if err := follow(c, serial, s.name); err != nil {
		return fmt.Errorf("%s %s: %w", call.Member, s.name, err)
	}
	return nil
}

// follow reads messages until the job is removed that the call with this serial
// number is answered with. Word of it may come before the answer. All calls on c
// are ours, so an error that answers any of them is one of ours.
func follow(c *bus.Conn, serial uint32, unit string) error {
	job := ""
	ended := map[string]string{} // jobs for unit → how they ended
	for {
		m, err := c.Receive()
		if err != nil {
			return err
		}
		body := m.Body()
		switch {
		case m.Type == bus.TypeError:
			return m.Error()
		case m.Type == bus.TypeReturn && m.ReplyTo == serial:
			if job = body.String(); job == "" {
				return errors.New("the answer names no job")
			}
		case m.Type == bus.TypeSignal && m.Interface == systemdManager && m.Member == jobRemoved && m.Signature == "uoss":
			body.Uint32()
			path, of, result := body.String(), body.String(), body.String()
			if of == unit {
				ended[path] = result
			}
		}
		if err := body.Err(); err != nil {
			return err
		}
		if result, ok := ended[job]; ok && job != "" {
			if result != "done" {
				return fmt.Errorf("the job ended with %q", result)
			}
			return nil
		}
	}
}
