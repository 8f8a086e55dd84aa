package attacks

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// devices: what of the host's hardware, and of the kernel behind it, everybody may
// open who sees it.
func devices() []Row {
	return []Row{
		device("file systems in user space", "fuse", "CVE-2023-0386: FUSE below a mount of the attacker"),
		device("network tunnels", "net/tun", "CVE-2022-4744, and other flaws in the tun driver"),
		device("virtual machines", "kvm", "CVE-2019-6974: a device that many hosts let everybody open"),
		device("page faults", "userfaultfd", "userfaultfd(2): the device that needs no sysctl"),
		{
			name: "a pseudo terminal of the host's", source: "pts(4): kernel.pty.max is the host's",
			attack: func([]string) error {
				master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
				if err != nil {
					return err
				}
				return master.Close()
			},
			walls: hostWalls,
		},
		{
			name: "the kernel's log", source: "printk: /dev/kmsg takes lines from whoever opens it; runc leaves it out",
			attack: func([]string) error { return opens("/dev/kmsg") },
			walls:  hostWalls, root: rootsUID,
			skip: func(who Role) Reason {
				if unix.Access("/dev/kmsg", unix.F_OK) != nil || who.Root && opens("/dev/kmsg") != nil {
					return noHardware
				}
				return forRoot(rootsOwn)(who)
			},
		},
	}
}

func device(what, name, source string) Row {
	path := "/dev/" + name
	open := func() error {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	return Row{
		name: what, source: source,
		attack: func([]string) error { return open() },
		walls:  hostWalls, root: rootsUID,
		skip: func(who Role) Reason {
			// To open a device whose driver is not there loads it.
			known, _ := os.ReadFile("/proc/misc")
			switch {
			case unix.Access(path, unix.F_OK) != nil:
				return noHardware
			case who.Careful && !strings.Contains(string(known), " "+filepath.Base(name)+"\n"):
				return notLoaded
			case who.Root && open() != nil:
				return noHardware
			}
			if st, err := os.Stat(path); err == nil && !who.Root && st.Mode()&0o006 != 0o006 {
				return rootsOwn
			}
			return ""
		},
	}
}
