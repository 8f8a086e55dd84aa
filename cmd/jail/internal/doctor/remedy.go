package doctor

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// remedy is what to do about a trial that failed, one step an entry. Lines
// that begin with "# " are for people; the others are commands.
func (f facts) remedy(name string, o outcome) []string {
	if f.noProc && (o.answer == Unknown || name == "cgroup") {
		return []string{"# /proc is not mounted: nearly nothing can be tried or built without it. Mount it first, and ask again:",
			"mount -t proc proc /proc"}
	}
	if steps := f.confined(name, o); steps != nil {
		return steps
	}
	switch name {
	case "mount_api":
		return f.mountAPI(o)
	case "granting":
		return f.granting(o)
	case "user_namespace", "namespaces", "root", "capabilities", "uid_range", "loopback":
		return f.namespaces(name, o)
	case "proc":
		return f.proc(o)
	case "idmapped_mounts":
		return f.idMapped(o)
	case "memfd_exec":
		return []string{
			"# jail starts the box's first process from an unlinked file instead; nothing has to be done.",
			"# To allow executable memfds again (vm.memfd_noexec is " + f.settings["vm.memfd_noexec"] + "; it can't be lowered inside a PID namespace):",
			"sysctl -w vm.memfd_noexec=0",
		}
	case "landlock":
		return f.landlock(o)
	case "seccomp":
		return f.seccomp()
	case "cgroup":
		return f.cgroup(o)
	}
	return nil
}

// confined is for those whom a chroot holds, or a filter that is not (as far as
// the marks of one tell) a container engine's: no setting of the host helps them.
func (f facts) confined(name string, o outcome) []string {
	if o.errno != unix.EPERM && o.answer != Unknown && !(name == "cgroup" && f.filtered) {
		return nil
	}
	switch {
	case f.filtered && !f.inContainer():
		return []string{"# A system-call filter holds jail itself (Seccomp: 2 in /proc/self/status): it was started in another box or container.",
			"# Boxes do not nest. Start jail outside, or let what surrounds it allow user namespaces, mounts and these calls."}
	case f.chroot && !slices.Contains([]string{"landlock", "seccomp", "memfd_exec", "cgroup"}, name):
		return []string{"# jail was started in a chroot, where the kernel makes no user namespaces (clone(2), EPERM).",
			"# Start it outside, or enter the tree by pivot_root(2), as systemd-nspawn and container engines do."}
	}
	return nil
}

// granting is for root who can't hand trees to a box. Its boxes run as a user whom
// nobody else is; as an ordinary caller's, they would run as host root.
func (f facts) granting(o outcome) []string {
	if o.errno == unix.ENOSYS {
		return f.mountAPI(o)
	}
	steps := []string{
		"# Root opens the files for its boxes itself, which asks for CAP_SYS_ADMIN over the mount namespace that it is in.",
		"# Start jail as an ordinary user, whose boxes need no capability of their caller's, or let root have it:",
	}
	switch f.inside {
	case "kubernetes":
		return append(steps, `#   securityContext: {capabilities: {add: ["SYS_ADMIN"]}}   in the container's`)
	case "":
		return append(steps, "# (where jail is in a user namespace, by a mount namespace of that one: unshare --mount)")
	}
	return append(steps, f.inside+" run --cap-add SYS_ADMIN …")
}

// idMapped is for root who can't have a tree's owners mapped: because of the file
// system, or as little as it can grant anything.
func (f facts) idMapped(o outcome) []string {
	switch {
	case o.errno == unix.ENOSYS || f.ungranting:
		return f.granting(o)
	case o.answer == Unknown: // there was no user namespace to try it with
		return f.namespaces("user_namespace", o)
	}
	return []string{
		"# The filesystem here can't show its files under other owners, so root can't grant folders on it with --rw.",
		"# Grant a folder on ext4, xfs, btrfs or tmpfs (tmpfs from Linux 6.3 on), or start jail as an ordinary user.",
	}
}

func (f facts) mountAPI(o outcome) []string {
	if o.errno == unix.EPERM && f.inContainer() {
		return f.engine()
	}
	return []string{
		"# jail needs the mount API of Linux 5.14 or later; this is " + f.kernel + ".",
		"# Install a later kernel, such as your distribution's backports or hardware-enablement one.",
	}
}

// namespaces names the setting that forbids what was tried, from the most to
// the least specific.
func (f facts) namespaces(name string, o outcome) []string {
	var steps []string
	if f.isZero("kernel.unprivileged_userns_clone") && f.uid != 0 {
		steps = append(steps, persist("kernel.unprivileged_userns_clone", "1")...)
	}
	for _, s := range sysctls {
		if strings.HasPrefix(s, "user.max_") && f.isZero(s) {
			steps = append(steps, persist(s, "15000")...)
		}
	}
	if f.appArmorRestricts() {
		steps = append(steps, f.appArmor()...)
	}
	if len(steps) > 0 {
		return steps
	}
	switch {
	case name == "root" && o.errno == unix.ENOSYS: // the calls, not the namespaces
		return f.mountAPI(o)
	case o.errno == unix.ENOSPC:
		return []string{"# Namespaces are used up or nested too deep (at most 32 levels): see user.max_*_namespaces in",
			"sysctl user"}
	case o.errno == unix.EINVAL || o.errno == unix.ENOSYS:
		return []string{"# The kernel " + f.kernel + " is built without this kind of namespace; it needs CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_NET_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and CONFIG_CGROUPS."}
	case f.inContainer():
		return f.engine()
	case name == "uid_range":
		return []string{"# Root here may not use uids from 1879048192 on: it lacks CAP_SETUID or CAP_SETGID, or this is a user namespace with few ids.",
			"# Give it a range of more than 8388608 ids (/etc/subuid), or start jail as an ordinary user."}
	}
	return []string{"# A security module or a filter around jail refuses it (active: " + orNone(f.lsm) + ").",
		"# Look for the refusal in the kernel's log:", "dmesg | grep -iE 'apparmor|selinux|avc|userns' | tail"}
}

// appArmorProfileText is dist/apparmor/jail without what is for people, as
// printf(1) takes it.
const appArmorProfileText = `abi <abi/4.0>,\ninclude <tunables/global>\nprofile jail /usr/{local/,}bin/jail flags=(unconfined) {\n  userns,\n  include if exists <local/jail>\n}\n`

// appArmor lets this one program use user namespaces; the sysctl would let all.
func (f facts) appArmor() []string {
	return []string{
		"# AppArmor lets no program without a profile use user namespaces (Ubuntu 23.10 and later).",
		"# Install jail as /usr/local/bin/jail or /usr/bin/jail, and give it a profile of its own (dist/apparmor/jail):",
		"printf '" + appArmorProfileText + "' > /etc/apparmor.d/jail",
		"apparmor_parser -r /etc/apparmor.d/jail",
		"# Or, for all programs:",
		"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
	}
}

// engine is what to ask of a container engine. Its default filter and masks
// forbid namespaces and mounts inside.
func (f facts) engine() []string {
	switch f.inside {
	case "kubernetes":
		return []string{
			"# In the container's securityContext:",
			"#   seccompProfile: {type: Unconfined}   or a profile that allows clone, unshare, mount_setattr, move_mount, open_tree, fsopen, fsconfig, fsmount, pivot_root",
			"#   appArmorProfile: {type: Unconfined}",
			"#   procMount: Unmasked                  together with hostUsers: false in the pod's spec",
		}
	case "podman":
		return []string{"podman run --security-opt seccomp=unconfined --security-opt unmask=ALL --security-opt label=disable …"}
	}
	return []string{"docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined …"}
}

// proc: the kernel gives out a new proc only where the old one is not partly
// covered, or it would show what was hidden ("VFS: Mount too revealing").
func (f facts) proc(o outcome) []string {
	if o.errno == unix.EINVAL {
		return []string{"# proc's options subset=pid and hidepid=invisible need Linux 5.8 or later; this is " + f.kernel + "."}
	}
	if o.errno == unix.EPERM {
		why := []string{"# Something is mounted over parts of /proc, so the kernel gives no fresh one to a user namespace:",
			"grep ' /proc/' /proc/self/mountinfo"}
		if f.inContainer() {
			return append(why, f.engine()...)
		}
		return append(why, "# Unmount those, or start jail where /proc is whole.")
	}
	return f.namespaces("proc", o)
}

func (f facts) landlock(o outcome) []string {
	switch o.errno {
	case unix.EOPNOTSUPP:
		modules := "landlock,lockdown,yama,integrity,apparmor,bpf"
		if f.lsm != "" {
			modules = "landlock," + f.lsm
		}
		return []string{
			"# Landlock is in the kernel but was not switched on at boot. Add to the kernel's command line, and boot anew:",
			"#   lsm=" + modules,
			`sed -i 's/^GRUB_CMDLINE_LINUX="/&lsm=` + modules + ` /' /etc/default/grub && update-grub`,
		}
	case unix.ENOSYS:
		if f.inContainer() {
			return append([]string{"# The kernel has no Landlock (CONFIG_SECURITY_LANDLOCK, Linux 5.13), or the container's filter hides it."}, f.engine()...)
		}
		return []string{"# The kernel " + f.kernel + " is built without Landlock: it needs CONFIG_SECURITY_LANDLOCK=y (Linux 5.13 or later).",
			"# To go without, by name: jail run --optional landlock …"}
	case unix.EPERM:
		return f.engine()
	}
	return []string{"# To go without, by name: jail run --optional landlock …"}
}

func (f facts) seccomp() []string {
	return []string{"# The kernel " + f.kernel + " refuses filters: it needs CONFIG_SECCOMP_FILTER=y, and nothing around jail that forbids seccomp(2).",
		"# To go without, by name: jail run --optional seccomp …"}
}

// persist sets a sysctl now and for the next boots.
func persist(name, value string) []string {
	return []string{
		fmt.Sprintf("sysctl -w %s=%s", name, value),
		fmt.Sprintf("echo %s=%s >> /etc/sysctl.d/60-jail.conf", name, value),
	}
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
