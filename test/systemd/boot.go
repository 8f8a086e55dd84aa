package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// bootFlag is the argument by which this program becomes the guest.
const bootFlag = "-boot"

// boot becomes the kernel, in a mount namespace in which the guest's root is an
// overlay whose upper layer is in memory, and everything else is read-only.
func boot(kernel, tree, work string) error {
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
	// The kernel keeps its memory there, in a file without a name.
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700"); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	for _, dir := range []string{"data", "work", "root"} {
		if err := os.Mkdir(filepath.Join("/dev/shm", dir), 0o755); err != nil {
			return err
		}
	}
	layers := fmt.Sprintf("lowerdir=%s:%s,upperdir=/dev/shm/data,workdir=/dev/shm/work", filepath.Join(work, "upper"), tree)
	if err := unix.Mount("overlay", "/dev/shm/root", "overlay", 0, layers); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	return unix.Exec(kernel, []string{kernel, "mem=1024M", fmt.Sprintf("umid=jail-systemd-%d", os.Getpid()),
		"root=/dev/root", "rootfstype=hostfs", "rootflags=/dev/shm/root", "rw", "init=/lib/systemd/systemd",
		"con=null", "con0=null,fd:1", "ssl=null", "loglevel=3", "panic=-1", "systemd.show_status=false",
		// Nothing of these is about jail, and each costs a second.
		"systemd.mask=e2scrub_reap.service", "systemd.mask=apt-daily.timer", "systemd.mask=apt-daily-upgrade.timer",
		"systemd.mask=getty@tty1.service", "systemd.mask=fstrim.timer", "systemd.mask=dpkg-db-backup.timer",
	}, []string{"TMPDIR=/dev/shm", "HOME=/dev/shm", "PATH=" + os.Getenv("PATH")})
}
