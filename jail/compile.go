package jail

import (
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// compile decides everything about a run. It is pure: the same arguments give
// the same plan, and no process, mount or group exists yet. The order of the
// parts is the security argument; each says why it stands where it does.
func compile(spec Spec, h host, v view, sh shape, off ablation.Set) (*Plan, error) {
	return compileFirst(spec, h, v, sh, off).compileRest(sh, off)
}

// compileFirst decides what PID 1 can do while the rest is decided.
func compileFirst(spec Spec, h host, v view, sh shape, off ablation.Set) *builder {
	p := &Plan{spec: spec, host: h, view: v, shape: sh, base: planBase, data: make([]byte, firstHeaderSize, 8<<10)}
	b := &builder{Plan: p, args: make([]arg, 0, 1024)}
	p.lists[listFirst] = make([]Step, 0, 96)
	b.at(listFirst, StageGrants, LayerRoot)
	if !off.Has(ablation.CloseFDs) {
		b.call(unix.SYS_CLOSE_RANGE, "close_range", "inherited", num(fdShm+1), num(^uint32(0)), num(0)).wants(0)
	}
	if hard := h.hard[unix.RLIMIT_NOFILE]; hard > 0 { // for as many as are handed in
		b.call(unix.SYS_PRLIMIT64, "prlimit64", "RLIMIT_NOFILE", num(0), num(unix.RLIMIT_NOFILE, "RLIMIT_NOFILE"), num(b.words(hard, hard), "{hard, hard}"), num(0)).wants(0)
	}
	// The caller's may be one without address randomization (personality(2)).
	b.call(unix.SYS_PERSONALITY, "personality", "PER_LINUX", num(0, "PER_LINUX"))
	if !spec.inPlace() {
		compileGround(b, off)
	}
	b.at(listFirst, timedPlan, "")
	p.first = p.encodeFirst()
	return b
}

// compileRest decides the rest. Of the run around it more may be known by now.
func (b *builder) compileRest(sh shape, off ablation.Set) (*Plan, error) {
	p := b.Plan
	p.shape, p.base, p.data = sh, restBase, make([]byte, headerSize, 32<<10)
	var err error
	if p.handled, err = planLandlock(p.spec, p.host, off); err != nil {
		return nil, err
	}
	if p.filter, err = planSeccomp(p.spec, p.host, p.handled, sh, off); err != nil {
		return nil, err
	}
	p.last = p.room(lastSize)
	p.lists[listBox], p.lists[listTarget] = make([]Step, 0, 256), make([]Step, 0, 64)

	if p.spec.inPlace() {
		compileInPlace(b, off)
	} else {
		compileNamespaces(b, off)
	}
	b.at(listFinal, StageSupervise, "")
	b.final(off)
	b.receive()
	return p, nil
}

// compileGround is the first part of tier 1.
func compileGround(b *builder, off ablation.Set) {
	b.at(listFirst, StageIdentity, LayerNamespaces)
	b.identity(off)
	if b.spec.Net == NetLoopback {
		b.at(listFirst, StageNet, LayerNamespaces)
		b.loopback() // needs CAP_NET_ADMIN of the box
	}
	b.at(listFirst, StageMounts, LayerRoot)
	b.ground(off)
}

// compileNamespaces is the rest of tier 1.
func compileNamespaces(b *builder, off ablation.Set) {
	b.at(listBox, StageMounts, LayerRoot)
	if !off.Has(ablation.Root) {
		b.mounts(off)
		b.witness()
	}
	b.at(listBox, StageLandlock, LayerLandlock)
	ruleset := b.rules(off) // needs the final tree, and has the time until there is a group
	b.at(listBox, StageCgroup, LayerCgroup)
	b.enterGroup() // the cgroup namespace needs a capability
	b.at(listBox, StageCaps, LayerCaps)
	if off.Has(ablation.Caps) {
		b.keepCaps()
	} else {
		b.dropCaps() // the mounts were the last that needed any
	}
	b.noNewPrivs(off) // Landlock and seccomp ask for it
	b.at(listBox, StageLifeline, LayerNamespaces)
	b.lifeline(off) // after the ids changed, which would have cleared it

	b.at(listReaper, StageReaper, LayerSeccomp)
	b.lockReaper()

	b.at(listTarget, StageSession, LayerRoot)
	b.session(off)
	b.at(listTarget, StageRlimits, LayerRlimits)
	if !off.Has(ablation.Rlimits) {
		b.rlimits() // before the filter, which forbids some of it
	}
	b.at(listTarget, StageLandlock, LayerLandlock)
	b.landlock(ruleset, b.old)
	b.at(listTarget, StageSeccomp, LayerSeccomp)
	b.keepValue()
	if !off.Has(ablation.CloseFDs) {
		b.closeOnExec()
	}
	b.rootEvidence()
	if b.shape.late {
		b.makeLateRoom()
	}
	b.seccomp() // the last wall, so it need not allow what the others need
	b.at(listTarget, StageEvidence, "")
	b.evidence()
	b.exec()
}

// shape is what a plan needs to know of the run around it.
type shape struct {
	backstops bool      // there is no group to cap the box, which the caller allows
	tasks     int       // cgroup v1 tasks files to write to; on v2 the child is born in its group
	stdin     bool      // stdin is a pipe, not the box's /dev/null
	tty       bool      // stdin, stdout and stderr are a terminal of the box's own
	slave     string    // its device on the host, which in the box is /dev/console
	late      bool      // the program is named when the box stands: see Pool
	value     bool      // the program has a descriptor for a value
	question  *question // instead of a program: what is tried (Why)
	audited   bool      // somebody reads the records of what Landlock refuses
}

// enterGroup moves PID 1 into its group, on version 1: on version 2 it is born
// there. The group is made while PID 1 makes the view, so what the kernel keeps
// for that, a fixed amount, is not counted; whatever is used from here on is.
func (b *builder) enterGroup() {
	if b.shape.tasks == 0 {
		return
	}
	zero := b.str("0")
	for i := range b.shape.tasks { // as they are made
		name := "tasks " + strconv.Itoa(i)
		control := b.controlMessage()
		b.recvmsg(name, control)
		// "0" is the writer itself; a pid would make the kernel wait for
		// an RCU grace period of several milliseconds.
		b.call(unix.SYS_WRITE, "write", name, cell{control + cmsgHeader, name}.arg(), zero, num(1)).wants(1)
	}
	if b.spec.inPlace() {
		return
	}
	// After the move, so that the box's group is the root it sees.
	b.call(unix.SYS_UNSHARE, "unshare", "cgroup namespace", num(unix.CLONE_NEWCGROUP, "CLONE_NEWCGROUP")).wants(0)
}

func (b *builder) identity(off ablation.Set) {
	if b.host.ownUID {
		u, g := num(b.host.boxUID), num(b.host.boxGID)
		b.call(unix.SYS_SETRESGID, "setresgid", strconv.Itoa(b.host.boxGID), g, g, g).wants(0)
		b.call(unix.SYS_SETGROUPS, "setgroups", "none", num(0), num(0)).wants(0)
		b.call(unix.SYS_SETRESUID, "setresuid", strconv.Itoa(b.host.boxUID), u, u, u).wants(0)
		if b.host.keyrings && !off.Has(ablation.Keyring) {
			// A session keyring of its own (keyctl(2)), instead of the one that PID 1
			// has with all boxes of the caller (init.c). An ordinary caller's box has
			// that: each of its own takes one of the 200 keys that the kernel lets a
			// user have, and the filter is there as well.
			b.call(unix.SYS_KEYCTL, "keyctl", "session keyring", num(unix.KEYCTL_JOIN_SESSION_KEYRING, "KEYCTL_JOIN_SESSION_KEYRING"), num(0))
		}
	}
	name := b.spec.Hostname
	if name == "" {
		name = "jail"
	}
	if !off.Has(ablation.UTS) {
		b.call(unix.SYS_SETHOSTNAME, "sethostname", name, b.str(name), num(len(name))).wants(0)
	}
	b.call(unix.SYS_UMASK, "umask", "022", num(0o022))
}

// loopback brings up lo, and with it 127.0.0.1 and ::1.
func (b *builder) loopback() {
	fd := b.cell("socket")
	b.call(unix.SYS_SOCKET, "socket", "lo", num(unix.AF_INET, "AF_INET"), num(unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, "SOCK_DGRAM|SOCK_CLOEXEC"), num(0)).keep(fd)
	ifreq := make([]byte, 40)
	copy(ifreq, "lo")
	ifreq[unix.IFNAMSIZ] = unix.IFF_UP | unix.IFF_RUNNING
	b.call(unix.SYS_IOCTL, "ioctl", "lo", fd.arg(), num(unix.SIOCSIFFLAGS, "SIOCSIFFLAGS"), num(b.bytes(ifreq), "{lo, IFF_UP|IFF_RUNNING}")).wants(0)
}
