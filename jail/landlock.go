package jail

import (
	"encoding/binary"
	"errors"
	"path"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// handled is what a box's Landlock ruleset decides about: everything that the
// kernel's ABI can. Zero means no ruleset.
type handled struct {
	config landlock.Config
	abi    int // 0: no Landlock
}

// landlockConfigs is go-landlock's table of what each ABI handles.
var landlockConfigs = [...]*landlock.Config{
	1: &landlock.V1, 2: &landlock.V2, 3: &landlock.V3, 4: &landlock.V4, 5: &landlock.V5, 6: &landlock.V6,
	7: &landlock.V7, 8: &landlock.V8, 9: &landlock.V9, 10: &landlock.V10, 11: &landlock.V11,
}

const (
	rightsFile = llsys.AccessFSExecute | llsys.AccessFSReadFile
	rightsRead = rightsFile | llsys.AccessFSReadDir
	// rightsWrite leaves out device nodes (nothing in a box may make one) and
	// IOCTL_DEV.
	rightsWriteFile = llsys.AccessFSWriteFile | llsys.AccessFSTruncate
	rightsWrite     = rightsWriteFile | llsys.AccessFSRemoveDir | llsys.AccessFSRemoveFile | llsys.AccessFSMakeDir |
		llsys.AccessFSMakeReg | llsys.AccessFSMakeSock | llsys.AccessFSMakeFifo | llsys.AccessFSMakeSym | llsys.AccessFSRefer
	// abiResolveUnix is the first ABI at which connecting to a socket file
	// needs a right of its own.
	abiResolveUnix = 9
	// abiPorts is the first that decides about TCP ports.
	abiPorts = 4
)

// planLandlock decides what the ruleset handles, or why there is none.
func planLandlock(spec Spec, h host, off ablation.Set) (handled, error) {
	if off.Has(ablation.Landlock) {
		return handled{}, nil
	}
	if h.landlockABI == 0 {
		if slices.Contains(spec.Optional, LayerLandlock) && !spec.inPlace() {
			return handled{}, nil
		}
		otherwise := "; or weaken the box by name: --optional landlock"
		switch {
		case spec.inPlace():
			otherwise = "; a box of tier 2 is made of it"
		case h.olderThanMounts(): // going without Landlock would be refused next
			otherwise = ""
		}
		return handled{}, &SetupError{Stage: StageProbe, Layer: LayerLandlock, Operation: "landlock_create_ruleset", Err: h.landlockErr,
			Remedy: h.landlockRemedy() + otherwise}
	}
	abi := min(h.landlockABI, len(landlockConfigs)-1)
	c := *landlockConfigs[abi]
	if spec.Net == NetLoopback {
		// Rules are per port, so ports are left to the net namespace.
		c.HandledAccessNet = 0
	}
	return handled{config: c, abi: abi}, nil
}

// noLandlock is why there is none, by what the kernel says.
func noLandlock(err error) string {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return "this kernel has Landlock, which is not switched on"
	case errors.Is(err, unix.ENOSYS) && filtered():
		return "this kernel has no Landlock, or a system-call filter hides it"
	case err == nil || errors.Is(err, unix.ENOSYS):
		return "this kernel has no Landlock"
	}
	return "a system-call filter forbids Landlock here"
}

// olderThanMounts says that the kernel lacks what a box's tree is made by:
// mount_setattr(2) is of Linux 5.14, a release later than Landlock.
func (h host) olderThanMounts() bool {
	return h.kernel[0] < 5 || h.kernel[0] == 5 && h.kernel[1] < 14
}

// landlockRemedy is by what the kernel says where there is no Landlock.
func (h host) landlockRemedy() string {
	err := h.landlockErr
	newer := "run a kernel with Landlock (CONFIG_SECURITY_LANDLOCK, Linux 5.13 or newer)"
	if h.olderThanMounts() {
		newer = "run Linux 5.14 or newer, which jail needs for its mounts as well, built with Landlock (CONFIG_SECURITY_LANDLOCK)"
	}
	calls := forbidden("landlock_create_ruleset, landlock_add_rule and landlock_restrict_self")
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return "the kernel has it and did not switch it on: boot with landlock in the lsm= list of its command line"
	case errors.Is(err, unix.ENOSYS) && filtered():
		return newer + "; where this is one, " + calls
	case errors.Is(err, unix.ENOSYS):
		return newer
	}
	return calls
}

// rules adds a rule for everything in the box's tree, and returns the ruleset.
func (b *builder) rules(off ablation.Set) (ruleset cell) {
	if b.handled.abi == 0 {
		return ruleset
	}
	ruleset = b.inherit(inherit{kind: inheritRuleset}, "ruleset")
	switch {
	case b.spec.inPlace():
		for _, name := range ownProc {
			rights := uint64(llsys.AccessFSReadFile)
			if name == "fd" || name == "fdinfo" {
				rights |= llsys.AccessFSReadDir
			}
			b.rule(ruleset, "/proc/self/"+name, rights)
		}
	default:
		if len(b.view.entries) > 0 && !off.Has(ablation.Root) {
			b.rule(ruleset, "/", llsys.AccessFSReadDir)
		}
		b.rule(ruleset, "/proc", llsys.AccessFSReadFile|llsys.AccessFSReadDir)
	}
	for _, d := range b.devices() {
		node := "/dev/" + d
		if d == console && b.spec.inPlace() {
			node = b.shape.slave
		}
		b.rule(ruleset, node, deviceRights(d))
	}
	for _, e := range b.view.entries {
		switch {
		case off.Has(ablation.Root) && (e.kind != entryMount || !covered(e.mount)):
		case e.kind == entryFile:
			b.rule(ruleset, e.path, llsys.AccessFSReadFile)
		case e.kind == entryMount:
			b.rule(ruleset, e.path, e.mount.rights())
		}
	}
	return ruleset
}

// landlock tries the canary, restricts, and tries it again: opening the host's root
// through a descriptor that leaked works before and must not after (CVE-2024-21626).
func (b *builder) landlock(ruleset, old cell) {
	if b.handled.abi == 0 {
		return
	}
	canary := func(what string) *Step {
		return b.call(unix.SYS_OPENAT, "openat", what, old.arg(), b.str("."), num(unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, "O_RDONLY|O_DIRECTORY|O_CLOEXEC"), num(0))
	}
	canary("canary: allowed without Landlock")
	b.call(unix.SYS_LANDLOCK_RESTRICT_SELF, "landlock_restrict_self", "", ruleset.arg(), b.logging()).wants(0)
	canary("canary: refused with Landlock").wants(-int32(unix.EACCES))
}

// The flags of landlock_restrict_self(2) that say which refusals are recorded
// (linux/landlock.h), since ABI 7. Without any the kernel records those until the
// program is executed: of a box that is its canary, in every run.
const (
	logSameExecOff   = 1 << 0 // not until the next execve(2)
	logNewExecOn     = 1 << 1 // but from there on
	logSubdomainsOff = 1 << 2 // none of rulesets that are entered later
)

// logging is what the host's audit log gets of a box: what Landlock refuses it, if
// the supervisor reads that, and else nothing. What the program's own rulesets
// refuse is for no host's log in any case: that would be text of the program's
// choice, as much of it as it likes.
func (b *builder) logging() arg {
	switch {
	case b.handled.abi < abiAudit:
		return num(0)
	case b.audited():
		return num(logNewExecOn|logSubdomainsOff, "LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON|LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF")
	}
	return num(logSameExecOff|logSubdomainsOff, "LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF|LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF")
}

// deviceRights are those on a device of the box's. Only its own terminal takes
// commands of a device (ioctl(2)): programs that open it by name ask how it is set,
// and which processes are in its foreground. What none may ask of it is the
// filter's to refuse.
func deviceRights(name string) uint64 {
	rights := uint64(llsys.AccessFSReadFile | llsys.AccessFSWriteFile)
	if name == ownTTY || name == console {
		rights |= llsys.AccessFSIoctlDev
	}
	return rights
}

// rights are what a mount grants.
func (m *mount) rights() uint64 {
	rights := uint64(rightsFile)
	if m.dir {
		rights = rightsRead
	}
	switch m.Kind {
	case MountRW:
		rights |= rightsWriteFile
		if m.dir {
			rights |= rightsWrite
		}
	case MountTmpfs:
		// Without RESOLVE_UNIX: sockets of the box itself need no right, and
		// rights on /tmp hold for grants mounted below it, too.
		rights |= rightsWrite
	}
	return rights
}

// rule allows rights, as far as the ABI knows them, below a path of the box. In
// tier 2 that is one of the host's, in which somebody may have put a link since it
// was checked: those of grants are not followed.
func (b *builder) rule(ruleset cell, path string, rights uint64) {
	rights &= uint64(b.handled.config.HandledAccessFS)
	// struct landlock_path_beneath_attr is packed: u64 and s32.
	attr := b.bytes(binary.LittleEndian.AppendUint64(nil, rights))
	fd := cell{b.room(4), path}
	if fd.addr != attr+8 {
		panic("jail: internal error: landlock_path_beneath_attr is not contiguous")
	}
	if b.view.grants[path] != nil && b.spec.inPlace() {
		b.lookupInto(fd, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(path), 0, path)
	} else {
		b.call(unix.SYS_OPENAT, "openat", path, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(path), num(unix.O_PATH|unix.O_CLOEXEC, "O_PATH|O_CLOEXEC"), num(0)).keep(fd)
	}
	b.call(unix.SYS_LANDLOCK_ADD_RULE, "landlock_add_rule", path, ruleset.arg(), num(llsys.RuleTypePathBeneath, "LANDLOCK_RULE_PATH_BENEATH"),
		num(attr, "{"+landlock.AccessFSSet(rights).String()+"}"), num(0)).wants(0)
	b.call(unix.SYS_CLOSE, "close", path, fd.arg()).wants(0)
}

// newRuleset makes the empty ruleset that the box fills and enters. It
// restricts nobody until then.
func (h handled) newRuleset() (int, error) {
	fd, _, err := h.config.NewRulesetFD()
	if err != nil {
		return -1, &SetupError{Stage: StageLandlock, Layer: LayerLandlock, Operation: "landlock_create_ruleset", Err: err}
	}
	return fd, nil
}

// covered says whether a path of the box is one that the host has as well;
// only such paths can be ruled when the new root is off in a test.
func covered(m *mount) bool { return m.Kind != MountTmpfs && path.Clean(m.Source) == m.path }
