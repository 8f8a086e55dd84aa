package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

// A mount is one line of what a guest has mounted.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func (m mount) do() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", m.kind, m.target, err)
	}
	return nil
}

func mountAll(list []mount) error {
	for _, m := range list {
		if err := m.do(); err != nil {
			return err
		}
	}
	return nil
}

const safe = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// mountKernel mounts the file systems that are the kernel's own.
func mountKernel() error {
	return mountAll([]mount{
		{"proc", "/proc", "proc", safe, ""},
		{"sysfs", "/sys", "sysfs", safe, ""},
		{"devtmpfs", "/dev", "devtmpfs", unix.MS_NOSUID, ""},
	})
}

// isUML says whether this is User-mode Linux: its command line says so.
func isUML() bool {
	if os.Getpid() != 1 {
		return false
	}
	os.MkdirAll("/proc", 0o755)
	unix.Mount("proc", "/proc", "proc", safe, "")
	line, err := os.ReadFile("/proc/cmdline")
	unix.Unmount("/proc", 0)
	return err == nil && strings.Contains(string(line), " guest=uml")
}

// loadModules loads all of /modules, in as many rounds as they depend on each
// other. What is built into this kernel, or is not for it, stays out: a mount
// that misses it will tell.
func loadModules() error {
	files, err := filepath.Glob("/modules/*.ko")
	if err != nil {
		return err
	}
	for {
		var left []string
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			err = unix.FinitModule(int(f.Fd()), "", 0)
			f.Close()
			if err != nil && err != unix.EEXIST {
				left = append(left, file)
			}
		}
		if len(left) == 0 || len(left) == len(files) {
			return nil
		}
		files = left
	}
}

// enterHost makes the host's file tree this guest's, with a layer in memory
// that takes all that is written. It can be had read-only alone: the host sees
// to that too.
func (m *machine) enterHost() error {
	lower := mount{"host", "/lower", "virtiofs", unix.MS_RDONLY, ""}
	if m.uml {
		lower = mount{"none", "/lower", "hostfs", unix.MS_RDONLY, "/"}
	}
	err := mountAll([]mount{lower, {"tmpfs", "/upper", "tmpfs", 0, "mode=0755"}})
	if err != nil {
		return err
	}
	for _, dir := range []string{"/upper/data", "/upper/work"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := (mount{"overlay", "/root", "overlay", 0, "lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work"}).do(); err != nil {
		return err
	}
	for _, dir := range []string{"/dev", "/proc", "/sys"} {
		if err := (mount{source: dir, target: "/root" + dir, flags: unix.MS_MOVE}).do(); err != nil {
			return err
		}
	}
	// An initial root can't be pivoted away: the new one is put over it.
	if err := os.Chdir("/root"); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move the root: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return m.furnish()
}

// furnish mounts what an ordinary host has besides.
func (m *machine) furnish() error {
	err := mountAll([]mount{
		{m.order.Work, order.Work, "", unix.MS_BIND, ""},
		{"devpts", "/dev/pts", "devpts", unix.MS_NOSUID | unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,gid=5"},
		{"tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
		{"mqueue", "/dev/mqueue", "mqueue", safe, ""},
		{"tmpfs", "/run", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=0755"},
		{"securityfs", "/sys/kernel/security", "securityfs", safe, ""},
	})
	if err != nil {
		return err
	}
	// Marks of what the host runs in, which is not what the guest runs in.
	for _, mark := range []string{"/.dockerenv", "/dev/ptmx"} {
		if err := os.Remove(mark); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	for name, target := range map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(target, "/dev/"+name); err != nil && !os.IsExist(err) {
			return err
		}
	}
	if err := unix.Sethostname([]byte("guest")); err != nil {
		return err
	}
	return mountDisk()
}

// diskSize is the size of the file that is this guest's disk, in memory. It is
// no more than its blocks in use.
const diskSize = 768 << 20

// mountDisk puts ext4 on the folders for temporary files, as an ordinary host
// has a file system there that mounts can be idmapped on: overlayfs can't, and
// tmpfs only from 6.3 on.
func mountDisk() error {
	const image, at = "/run/disk", "/run/disk.mounted"
	f, err := os.Create(image)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(diskSize); err != nil {
		return err
	}
	mkfs := exec.Command("/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-E", "lazy_itable_init=1", image)
	if out, err := mkfs.CombinedOutput(); err != nil {
		return fmt.Errorf("mke2fs: %w: %s", err, out)
	}
	loop, err := os.OpenFile("/dev/loop0", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer loop.Close()
	if err := unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_SET_FD, int(f.Fd())); err != nil {
		return fmt.Errorf("loop device: %w", err)
	}
	if err := (mount{"/dev/loop0", at, "ext4", 0, ""}).do(); err != nil {
		return err
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		own := filepath.Join(at, filepath.Base(filepath.Dir(dir))+"-"+filepath.Base(dir))
		if err := os.Mkdir(own, 0o777); err != nil {
			return err
		}
		if err := os.Chmod(own, 0o1777); err != nil {
			return err
		}
		if err := (mount{own, dir, "", unix.MS_BIND, ""}).do(); err != nil {
			return err
		}
	}
	return nil
}
