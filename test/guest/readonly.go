package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// readOnlyFlag is the argument by which this program starts another one for
// which all of the host is read-only. Guests see the host's files through that
// program, so whatever a guest does, nothing on the host changes.
const readOnlyFlag = "-read-only"

// readOnly carries out: readOnlyFlag DIR[:DIR…] PROGRAM ARG…. The folders are
// those that the program itself has to write to: it gets empty ones in memory.
func readOnly(args []string) error {
	runtime.LockOSThread() // unshare(2) is the calling thread's
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("make mounts read-only: %w", err)
	}
	for _, dir := range strings.Split(args[0], ":") {
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700"); err != nil {
			return fmt.Errorf("tmpfs on %s: %w", dir, err)
		}
	}
	program, err := exec.LookPath(args[1])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, unix.Exec(program, args[1:], os.Environ()))
}
