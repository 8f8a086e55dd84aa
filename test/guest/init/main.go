// The program init is PID 1 of a guest. It mounts the host's file tree
// read-only with a writable layer in memory above it, mounts control groups as
// ordered, runs the ordered jobs one after the other and reports on them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

func main() {
	runtime.LockOSThread()
	if err := takeNoSignals(); err != nil {
		fmt.Fprintln(os.Stderr, "init: signals:", err)
	}
	m := machine{uml: isUML()}
	if err := m.serve(); err != nil {
		// The console is for what happens before there is a port.
		fmt.Fprintln(os.Stderr, "init:", err)
		m.report(order.Event{Fault: err.Error()})
	}
	m.halt()
}

// A machine is the guest as its PID 1 sees it.
type machine struct {
	uml    bool
	port   *os.File // where events go
	order  order.Order
	groups groups
	typed  string // what is typed into the shell of each job, with root's rights, or ""
}

// serve does everything.
func (m *machine) serve() error {
	text, err := os.ReadFile(order.File)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &m.order); err != nil {
		return fmt.Errorf("%s: %w", order.File, err)
	}
	if err := mountKernel(); err != nil {
		return err
	}
	if err := loadModules(); err != nil {
		return err
	}
	if m.port, err = openPort(m.uml); err != nil {
		return err
	}
	if err := m.enterHost(); err != nil {
		return err
	}
	if m.groups, err = mountGroups(m.order.Layout); err != nil {
		return err
	}
	if err := m.addUser(); err != nil {
		return err
	}
	if err := loopbackUp(); err != nil {
		return err
	}
	if err := raiseLimits(); err != nil {
		return err
	}
	if m.order.Given != "" {
		if err := m.giveGroup(); err != nil {
			return err
		}
	}
	m.report(order.Event{Ready: m.ready()})
	for i, job := range m.order.Jobs {
		if err := m.run(i, job); err != nil {
			return fmt.Errorf("job %s: %w", job.Name, err)
		}
	}
	m.report(order.Event{Done: true})
	return nil
}

func (m *machine) ready() *order.Ready {
	var u unix.Utsname
	unix.Uname(&u)
	return &order.Ready{Kernel: unix.ByteSliceToString(u.Release[:]), Groups: m.groups.controllers}
}

// report sends one event, if there is a port yet.
func (m *machine) report(e order.Event) {
	if m.port == nil {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		panic(err) // plain data
	}
	if _, err := m.port.Write(append(line, '\n')); err != nil {
		fmt.Fprintln(os.Stderr, "init: report:", err)
	}
}

// halt ends the guest.
func (m *machine) halt() {
	if m.uml && m.port != nil {
		unix.IoctlSetInt(int(m.port.Fd()), unix.TCSBRK, 1) // tcdrain(3)
	}
	how := unix.LINUX_REBOOT_CMD_RESTART // QEMU ends then, by -no-reboot
	if m.uml {
		how = unix.LINUX_REBOOT_CMD_POWER_OFF
	}
	unix.Reboot(how)
	select {}
}
