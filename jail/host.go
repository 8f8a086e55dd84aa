package jail

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// host is what this kernel and this caller can do: everything that a plan
// depends on besides the Spec.
type host struct {
	kernel      [2]int // its release, such as 6 and 12
	landlockABI int    // 0: none
	landlockErr error  // then, what the kernel said
	lastCap     int
	uid, gid    int // the caller's effective ids
	// boxUID and boxGID are who the program is inside the box.
	boxUID, boxGID int
	// ownUID says that the box gets a host uid of its own, one that nobody
	// else uses: the caller may map ids at will.
	ownUID bool
	// hostUsers says that the caller's user namespace is the host's, so that its
	// uids are the host's.
	hostUsers bool
	// uidBase is where these host uids start, and uidShift where those of this
	// pid namespace do: numbers of processes are unique within one alone.
	uidBase, uidShift uint32
	// keeperUID is who the keeper of a tier 2 box is, where it has uids of its own.
	keeperUID int
	tasks     int    // how many the caller has in all, 0 if that can't be seen
	setpcap   bool   // the caller may drop capabilities from its bounding set
	keyrings  bool   // the kernel has them
	listener  uint64 // flags of seccomp(2) that make a listener; 0: unheard is why none can be had
	unheard   string
	hard      [16]uint64 // the caller's hard resource limits, by RLIMIT_ number
	processes uint64     // the caller's soft RLIMIT_NPROC
}

// probeHost asks the kernel. It has no side effects.
func probeHost() (host, error) {
	h := host{uid: os.Geteuid(), gid: os.Getegid()}
	if os.Getuid() != h.uid || os.Getgid() != h.gid {
		return h, &SetupError{Stage: StageProbe, Operation: "geteuid",
			Operand: strconv.Itoa(h.uid), Remedy: "jail must not be set-user-ID or set-group-ID: it is built to need no privileges",
			Err: errors.New("is not the user who started jail")}
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return h, &SetupError{Stage: StageProbe, Operation: "uname", Err: err}
	}
	h.kernel = release(u)
	h.landlockABI, h.landlockErr = askLandlock()
	h.listener, h.unheard = probeListener()
	_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0)
	h.keyrings = !errors.Is(err, unix.ENOSYS)
	for h.lastCap = 40; h.lastCap < 63; h.lastCap++ {
		if unix.Prctl(unix.PR_CAPBSET_READ, uintptr(h.lastCap+1), 0, 0, 0) != nil {
			break
		}
	}
	for _, r := range [...]int{unix.RLIMIT_NOFILE, unix.RLIMIT_FSIZE, unix.RLIMIT_CORE, unix.RLIMIT_STACK, unix.RLIMIT_MEMLOCK, unix.RLIMIT_CPU, unix.RLIMIT_SIGPENDING, unix.RLIMIT_MSGQUEUE, unix.RLIMIT_DATA, unix.RLIMIT_NPROC} {
		var l unix.Rlimit
		if err := unix.Getrlimit(r, &l); err != nil {
			return h, &SetupError{Stage: StageProbe, Operation: "getrlimit", Operand: rlimitNames[r], Err: err}
		}
		h.hard[r] = l.Max
		if r == unix.RLIMIT_NPROC {
			h.processes = l.Cur
		}
	}
	return h, h.probeIDs()
}

// readSmall reads a file of /proc whole, of at most a page. The os package
// would first start the poller that regular files have no use for.
func readSmall(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	return buf[:max(n, 0)], err
}

// askLandlock is the kernel's Landlock ABI. The error is the errno of where there
// is none: ENOSYS (built without, or older than 5.13), EOPNOTSUPP (not in the
// lsm= list at boot), or what a filter answers. See landlock_create_ruleset(2).
func askLandlock() (int, error) {
	const createRulesetVersion = 1
	abi, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, createRulesetVersion)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// filledIn is the content of a made-up file with the box's user in it.
func (h host) filledIn(content string) string {
	content = strings.ReplaceAll(content, "{{uid}}", strconv.Itoa(h.boxUID)) // a Replacer would be made for one use
	return strings.ReplaceAll(content, "{{gid}}", strconv.Itoa(h.boxGID))
}
