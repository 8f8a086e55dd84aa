package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// giveGroup does as root what jail doctor tells the ordinary user to have done by
// root: it runs the commands as they were printed, and no other. One that is to be
// typed into the user's shell, on version 2, is kept for each job.
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
	_, block, found := strings.Cut(string(hints), "# As root, after each boot: ")
	_, block, _ = strings.Cut(block, "\n")
	commands, _, _ := strings.Cut(block, "\n#")
	if !found || commands == "" {
		return fmt.Errorf("jail doctor has no command that makes a group: %s%s", hints, stderr.Bytes())
	}
	for line := range strings.Lines(commands) {
		if typed, ok := strings.CutPrefix(line, "sudo "); ok {
			m.typed = typed
			continue
		}
		if err := asRoot(line); err != nil {
			return err
		}
	}
	return nil
}

func asRoot(line string) error {
	if out, err := exec.Command("/bin/sh", "-ec", line).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, out)
	}
	return nil
}

// waiting is a shell of the user's that becomes the job once it may go on.
func waiting(args []string) []string {
	return append([]string{"/bin/sh", "-c", `read -r go; exec "$@" </dev/null`, "sh"}, args...)
}

// typeInto carries out, with root's rights, what the user types into that shell.
func (m *machine) typeInto(shell int) error {
	return asRoot(strings.ReplaceAll(m.typed, "$$", strconv.Itoa(shell)))
}
