package jail

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostns"
	"github.com/seed-75010da9/jail/internal/threads"
)

// probeInPlace is probeHost for tier 2, which asks less of ids and more of
// capabilities.
func probeInPlace() (host, error) {
	h, err := probeHost()
	if err != nil {
		return h, err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return h, &SetupError{Stage: StageProbe, Layer: LayerCaps, Operation: "capget", Err: err}
	}
	h.setpcap = data[0].Effective&(1<<unix.CAP_SETPCAP) != 0
	const needed = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_CHOWN
	if h.ownUID && data[0].Effective&needed != needed {
		return h, &SetupError{Stage: StageProbe, Layer: LayerCaps, Operation: "capget", Operand: fmt.Sprintf("%08x", data[0].Effective), Err: errors.New("root lacks some of what it takes"),
			Remedy: "root's boxes of tier 2 run as a user of their own: leave root CAP_SETUID, CAP_SETGID, CAP_SETPCAP and CAP_CHOWN, or start jail as an ordinary user"}
	}
	// Where the surroundings forbid key rings they forbid them to the box, too.
	_, err = unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0)
	h.keyrings = err == nil || errors.Is(err, unix.ENOKEY)
	if h.ownUID {
		h.become(0)
	} else {
		h.tasks = tasksOf(h.uid)
	}
	return h, nil
}

// tasksOf counts what RLIMIT_NPROC counts of a uid. From inside a pid namespace
// the rest of them can't be seen: then it is 0.
func tasksOf(uid int) int {
	if pids, err := hostns.Own("pid"); err != nil || pids != hostns.PIDs {
		return 0
	}
	return int(threads.Of(uid))
}

// become is who a tier 2 box of root's is, by the number of its keeper. Inside and
// outside are the same.
func (h *host) become(pid int) {
	h.boxUID = h.uidOf(pid)
	h.boxGID = h.boxUID
	h.keeperUID = h.boxUID + maxThreads
	if h.uidBase != ownUIDBase {
		h.keeperUID = h.boxUID - maxThreads // freeIDs leaves room below
	}
}
