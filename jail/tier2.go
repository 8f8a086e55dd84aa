package jail

import (
	"slices"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// A box of tier 2 is an ordinary process of the host, so two things that
// namespaces do for a box of tier 1 have to be done by other means:
//
//   - The view. There is no root of its own; Landlock opens what was granted, at
//     its own path. See inplace.go.
//   - The end. What PID 1 is for a pid namespace, its keeper is here: the
//     subreaper of the program's tree, which ends it with a single kill(-1). That
//     is sound only because the kernel lets the keeper signal the tree and nobody
//     else, by at least one of two means. Landlock's signal scope (ABI 6): the
//     keeper enters a domain of its own before it starts the program, which so is
//     in it, too, and in a second one besides, out of which it can't signal the
//     keeper. And, started by root, uids that nobody else has: the keeper has the
//     effective uid of the program, so it may signal it, and real and saved ones
//     of its own, so the program may not signal it (kill(2)). That the keeper can't
//     signal its own parent, the supervisor, is tried before anything relies on it.
//
// An ordinary user's box below ABI 6 has neither. Then the filter refuses to leave
// the program's process group, which is what the keeper kills, and to signal
// anybody but that whole group.

// abiScopeSignal is the first ABI at which Landlock restricts signals.
const abiScopeSignal = 6

func (s Spec) inPlace() bool { return s.Tier == Tier2 }

// oneGroup says whether the box has to stay one process group, since nothing else
// tells its processes from the caller's others.
func (h host) oneGroup() bool { return !h.ownUID && h.landlockABI < abiScopeSignal }

// groupCalls are those by which a process leaves its group, or signals others.
func groupCalls() []string {
	return []string{"setsid", "setpgid", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"}
}

// compileInPlace is compile for tier 2. Each part stands where it does for the
// same reason as there, unless it says another.
func compileInPlace(b *builder, off ablation.Set) {
	b.at(listBox, StageIdentity, LayerCaps)
	var supervisor cell
	if !b.host.oneGroup() {
		supervisor = b.supervisor()
	}
	b.call(unix.SYS_UMASK, "umask", "022", num(0o022))
	if b.host.ownUID {
		b.joinNobody(off)
	}
	b.at(listBox, StageCaps, LayerCaps)
	b.giveUpCaps()
	b.noNewPrivs(off)
	b.at(listBox, StageLifeline, LayerLandlock)
	b.keep(supervisor)

	b.at(listReaper, StageReaper, LayerSeccomp)
	b.lockReaper()

	// The keeper stays out of the group, or what kills that would kill the one
	// who sees the tree through to its end, and a throttled one would be slow to.
	b.at(listTarget, StageCgroup, LayerCgroup)
	b.enterGroup()
	b.at(listTarget, StageIdentity, LayerCaps)
	if b.host.ownUID {
		id := num(b.host.boxUID)
		b.call(unix.SYS_SETRESUID, "setresuid", "the program's alone", id, id, id).wants(0)
	}
	b.call(unix.SYS_PRCTL, "prctl", "SIGKILL", num(unix.PR_SET_PDEATHSIG, "PR_SET_PDEATHSIG"), num(int(unix.SIGKILL))).wants(0)
	b.at(listTarget, StageSession, LayerRoot)
	b.session(off)
	b.at(listTarget, StageRlimits, LayerRlimits)
	b.rlimits()
	b.at(listTarget, StageLandlock, LayerLandlock)
	root := b.cell("host root")
	b.call(unix.SYS_OPENAT, "openat", "/", num(unix.AT_FDCWD, "AT_FDCWD"), b.str("/"), num(unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, "O_PATH|O_DIRECTORY|O_CLOEXEC"), num(0)).keep(root)
	b.landlock(b.rules(off), root)
	b.at(listTarget, StageSeccomp, LayerSeccomp)
	b.keepValue()
	b.closeOnExec()
	b.rootEvidence()
	if b.filter.program == nil { // in a test: else it is a part of that (planSeccomp)
		b.loadFilter(seccomp.Self(b.host.oneGroup(), !b.host.ownUID))
	}
	b.seccomp()
	b.at(listTarget, StageEvidence, "")
	b.evidence()
	b.exec()
}

// supervisor is the cell with the pid of the keeper's parent, whom it can signal
// at first.
func (b *builder) supervisor() cell {
	pid := b.cell("supervisor")
	b.call(unix.SYS_GETPPID, "getppid", "").keep(pid)
	b.call(unix.SYS_KILL, "kill", "canary: allowed before", pid.arg(), num(0)).wants(0)
	return pid
}

// joinNobody makes the keeper a user whom nobody else is. Ids come before the
// capabilities that they need go.
func (b *builder) joinNobody(off ablation.Set) {
	g := num(b.host.boxGID)
	b.call(unix.SYS_SETRESGID, "setresgid", "the program's", g, g, g).wants(0)
	b.call(unix.SYS_SETGROUPS, "setgroups", "none", num(0), num(0)).wants(0)
	if b.host.keyrings && !off.Has(ablation.Keyring) {
		b.call(unix.SYS_KEYCTL, "keyctl", "session keyring", num(unix.KEYCTL_JOIN_SESSION_KEYRING, "KEYCTL_JOIN_SESSION_KEYRING"), num(0))
	}
}

// giveUpCaps empties every set that the caller may: the bounding set and the
// securebits ask for CAP_SETPCAP, and without it no_new_privs has to do. The uid
// changes in between, since the securebits keep the kernel from dropping
// capabilities by itself with it, and changing it needs one.
func (b *builder) giveUpCaps() {
	if b.host.setpcap {
		b.dropBounding()
	}
	if b.host.ownUID {
		own, program := num(b.host.keeperUID), num(b.host.boxUID)
		b.call(unix.SYS_SETRESUID, "setresuid", "the keeper's, with the program's as the effective one", own, program, own).wants(0)
	}
	b.clearCaps()
}

// keep makes the keeper what ends the tree. It needs the ids and no_new_privs.
func (b *builder) keep(supervisor cell) {
	if b.handled.abi >= abiScopeSignal {
		ruleset := b.cell("signal scope")
		// struct landlock_ruleset_attr: handled_access_fs, handled_access_net, scoped.
		// Every domain refuses links and renames from one folder to another unless
		// it says otherwise (landlock(7), LANDLOCK_ACCESS_FS_REFER); that is for
		// the program's own to decide.
		attr := b.words(llsys.AccessFSRefer, 0, llsys.ScopeSignal)
		b.call(unix.SYS_LANDLOCK_CREATE_RULESET, "landlock_create_ruleset", "signal scope", num(attr, "{LANDLOCK_ACCESS_FS_REFER, 0, LANDLOCK_SCOPE_SIGNAL}"), num(24), num(0)).keep(ruleset)
		b.rule(ruleset, "/", llsys.AccessFSRefer)
		quiet := num(0) // its canary is no news; of the program's refusals its own domain tells
		if b.handled.abi >= abiAudit {
			quiet = num(logSameExecOff, "LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF")
		}
		b.call(unix.SYS_LANDLOCK_RESTRICT_SELF, "landlock_restrict_self", "signal scope", ruleset.arg(), quiet).wants(0)
		b.drop(ruleset, "signal scope")
	}
	whom := num(keepGroup, "the program's group")
	if !b.host.oneGroup() {
		b.call(unix.SYS_KILL, "kill", "canary: refused now", supervisor.arg(), num(0)).wants(-int32(unix.EPERM))
		whom = num(-1)
	}
	b.call(unix.SYS_PRCTL, "prctl", "child subreaper", num(unix.PR_SET_CHILD_SUBREAPER, "PR_SET_CHILD_SUBREAPER"), num(1)).wants(0)
	b.call(opKeeper, "rt_sigaction", "SIGTERM", whom).wants(0)
	// Not SIGKILL, which would leave the tree to itself.
	b.call(unix.SYS_PRCTL, "prctl", "SIGTERM", num(unix.PR_SET_PDEATHSIG, "PR_SET_PDEATHSIG"), num(int(unix.SIGTERM))).wants(0)
	self := b.cell("keeper")
	b.call(unix.SYS_GETPID, "getpid", "").keep(self)
	b.hold(self.arg())
}

// inPlaceRules are what the filter has to refuse besides, where other walls do it
// in tier 1. What Spec.Seccomp allows by name stays allowed.
func inPlaceRules(spec Spec, h host, abi int) (rules []seccomp.Rule) {
	deny := func(args []seccomp.Arg, calls ...string) {
		for _, c := range calls {
			if _, ok := seccomp.Number(c); ok && !slices.Contains(spec.Seccomp.Allow, c) { // arm64 has fewer
				rules = append(rules, seccomp.Rule{Syscall: c, Action: seccomp.Deny, Args: args})
			}
		}
	}
	if h.oneGroup() {
		for _, c := range groupCalls() {
			rules = append(rules, seccomp.Rule{Syscall: c, Action: seccomp.Deny})
		}
		// The kernel itself signals a file's owner.
		rules = append(rules, seccomp.Rule{Syscall: "fcntl", Action: seccomp.Deny, Args: []seccomp.Arg{{Index: 1, Mask: 0xffffffff, Value: unix.F_SETOWN}}})
	}
	// System V IPC lives in the caller's namespace.
	deny(nil, "shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl")
	if !spec.Unix {
		// So do the abstract names of Unix sockets, which an end of a pair can have as
		// well: by bind(2), or from the kernel, which gives one to whoever connects or
		// sends a packet and is to be told whom it hears from (autobind, unix(7)).
		deny(nil, "bind", "connect")
		for _, option := range []uint32{unix.SO_PASSCRED, unix.SO_PASSPIDFD} {
			deny([]seccomp.Arg{{Index: 1, Mask: 0xffffffff, Value: unix.SOL_SOCKET}, {Index: 2, Mask: 0xffffffff, Value: option}}, "setsockopt")
		}
	}
	if !h.ownUID {
		// Landlock has no right for these, and the caller's files are the
		// program's own.
		deny(nil, "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
			"utime", "utimes", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr")
		for _, c := range fileCommands() {
			deny([]seccomp.Arg{c}, "ioctl")
		}
	}
	if abi < abiTruncate {
		deny(nil, "truncate")
		const how = unix.O_ACCMODE | unix.O_TRUNC
		for _, access := range []uint32{unix.O_RDONLY, unix.O_ACCMODE} {
			deny([]seccomp.Arg{{Index: 1, Mask: how, Value: unix.O_TRUNC | access}}, "open")
			deny([]seccomp.Arg{{Index: 2, Mask: how, Value: unix.O_TRUNC | access}}, "openat")
		}
	}
	return rules
}

// fileCommands are ioctls that change something about a file which is open for
// reading, or what is in a folder, of whoever owns it: by the letter and number of
// each, whatever the size of its argument (include/uapi/linux/fs.h, fsverity.h,
// fscrypt.h, btrfs.h, f2fs.h, msdos_fs.h; fs/ext4/ext4.h).
func fileCommands() []seccomp.Arg {
	commands := []seccomp.Arg{{Index: 1, Mask: 0xff00, Value: 0xf500}} // all of F2FS_IOC
	for _, c := range []uint32{
		'f'<<8 | 2,     // FS_IOC_SETFLAGS
		'X'<<8 | 32,    // FS_IOC_FSSETXATTR
		'v'<<8 | 2,     // FS_IOC_SETVERSION
		'f'<<8 | 4,     // EXT4_IOC_SETVERSION
		'f'<<8 | 9,     // EXT4_IOC_MIGRATE
		'f'<<8 | 19,    // FS_IOC_SET_ENCRYPTION_POLICY
		'f'<<8 | 133,   // FS_IOC_ENABLE_VERITY
		'r'<<8 | 17,    // FAT_IOCTL_SET_ATTRIBUTES
		0x9401, 0x9417, // BTRFS_IOC_SNAP_CREATE
		0x9402, 0x9410, // BTRFS_IOC_DEFRAG
		0x940e, 0x9418, // BTRFS_IOC_SUBVOL_CREATE
		0x940f, 0x943f, // BTRFS_IOC_SNAP_DESTROY
		0x941a, // BTRFS_IOC_SUBVOL_SETFLAGS
	} {
		commands = append(commands, seccomp.Arg{Index: 1, Mask: 0xffff, Value: c})
	}
	return commands
}

// abiTruncate is the first ABI at which Landlock restricts truncation.
const abiTruncate = 3
