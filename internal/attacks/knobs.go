package attacks

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// knobs: files by which the kernel lets its owner run programs as host root, or end
// the host. That they open for writing is the effect; nothing is written.
func knobs() []Row {
	return []Row{
		knob("the core dump helper", "/proc/sys/kernel/core_pattern", "CVE-2022-0811 (cr8escape); core(5)"),
		knob("the module loader", "/proc/sys/kernel/modprobe", "CVE-2022-0811 (cr8escape): any sysctl; proc_sys_kernel(5): runs as host root for an unknown binary format"),
		knob("the hotplug helper", "/proc/sys/kernel/hotplug", "CVE-2022-0811 (cr8escape): any sysctl; proc_sys_kernel(5)"),
		knob("the hotplug helper of sysfs", "/sys/kernel/uevent_helper", "uevent_helper: run as host root for each device that comes or goes; runc makes /sys read-only"),
		knob("binary formats", "/proc/sys/fs/binfmt_misc/register", "binfmt_misc.rst: the interpreter of everybody's programs"),
		knob("a panic", "/proc/sys/kernel/panic", "proc_sys_kernel(5); runc makes /proc/sys read-only"),
		knob("what a core dump holds of others", "/proc/sys/fs/suid_dumpable", "CVE-2006-2451; proc_sys_fs(5)"),
		{
			name: "leave the control group", source: "CVE-2022-0492; cgroups(7): cgroup.procs",
			attack: func(args []string) error { return opens(args[0]) },
			arena: func(a *Arena) {
				group, _ := ownGroup()
				a.Args(filepath.Join(group, "cgroup.procs"))
			},
			walls: hostWalls, root: rootsUID,
			skip: func(who Role) Reason {
				if _, err := ownGroup(); err != nil {
					return noHardware
				}
				return forRoot(rootsOwn)(who)
			},
		},
	}
}

func knob(what, path, source string) Row {
	return Row{
		name: "open for writing: " + what, source: source,
		attack: func([]string) error { return opens(path) },
		walls:  hostWalls, root: rootsUID,
		skip: func(who Role) Reason {
			if unix.Access(path, unix.W_OK) != nil && who.Root || unix.Access(path, unix.F_OK) != nil {
				return noHardware
			}
			return forRoot(rootsOwn)(who)
		},
	}
}

// opens opens a file for writing, and does not write.
func opens(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
