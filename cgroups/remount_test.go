package cgroups

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// remounted finds a group where no control groups are mounted, does what it is told,
// and finds one again. It is in a mount namespace of its own.
func remounted([]string) {
	for unix.Unmount(mountRoot, unix.MNT_DETACH) == nil {
	}
	_, err := Find("/")
	var e *Error
	if !errors.As(err, &e) {
		fmt.Println("without mounts:", err)
		return
	}
	_, commands, _ := strings.Cut(e.Remedy, ": ")
	commands, _, _ = strings.Cut(commands, "; in a container")
	if out, err := exec.Command("/bin/sh", "-ec", commands).CombinedOutput(); err != nil {
		fmt.Printf("%s: %v: %s\n", e.Remedy, err, out)
		return
	}
	p, err := Find("/")
	if err == nil {
		p.Close()
	}
	fmt.Println(e.Missing != "", err)
}

// Where the control groups are mounted nowhere, the line of the refusal mounts them.
func TestRemount(t *testing.T) {
	testParent(t)
	if os.Getuid() != 0 {
		t.Skip("not for an ordinary user: root mounts")
	}
	cmd := self("role:remounted")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // and all private in it
	out, err := cmd.Output()
	if string(out) != "true <nil>\n" || err != nil {
		t.Errorf("after the refusal's own line: %s%v", out, err)
	}
}
