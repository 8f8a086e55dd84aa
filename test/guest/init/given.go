package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// giveGroup does as root what jail doctor tells the ordinary user to have done by
// root on a host of version 1: it runs the command as it was printed, and no
// other.
func (m *machine) giveGroup() error {
	doctor := exec.Command(order.Work+"/bin/jail", "doctor", "--fix-hints", "--cgroup-parent", m.order.Given)
	doctor.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + userHome}
	doctor.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: order.UserID, Gid: order.UserID}}
	var stderr bytes.Buffer
	doctor.Stderr = &stderr
	hints, err := doctor.Output() // and a status that says that something is missing
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return fmt.Errorf("jail doctor: %w", err)
	}
	for line := range strings.Lines(string(hints)) {
		if !strings.HasPrefix(line, "for c in ") {
			continue
		}
		if out, err := exec.Command("/bin/sh", "-ec", line).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, out)
		}
		return nil
	}
	return fmt.Errorf("jail doctor has no command that makes a group of version 1: %s%s", hints, stderr.Bytes())
}
