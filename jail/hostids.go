package jail

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/seed-75010da9/jail/internal/hostns"
)

const (
	// ownUIDBase is the start of the 2^22 host uids for boxes that root
	// starts: a range that systemd's UID documentation leaves to nobody
	// (above containers, below 2^31). A run adds the number of its PID 1, which
	// no other live process or thread of its pid namespace has (pid_max is at most
	// 2^22, proc(5)), so two boxes of one never share a uid.
	ownUIDBase = 0x70000000
	maxThreads = 1 << 22
	// leastIDs is how many ids a user namespace must have more than for its root's
	// boxes to have their own: as many again stay free below them.
	leastIDs = 2 * maxThreads
	// rootBoxID is the uid and gid inside such a box.
	rootBoxID = 1000
)

// probeIDs decides who the box is on the host: never its root.
func (h *host) probeIDs() error {
	h.boxUID, h.boxGID = h.uid, h.gid
	users, err := namespaceInode("user")
	if err != nil {
		return err
	}
	h.hostUsers = users == hostns.Users
	if h.uid != 0 {
		return h.mayBeItself()
	}
	text, err := readSmall("/proc/self/uid_map")
	if err != nil {
		return &SetupError{Stage: StageProbe, Layer: LayerNamespaces, Operation: "read", Operand: "/proc/self/uid_map", Err: err,
			Remedy: "mount /proc: jail writes the box's id maps through it"}
	}
	base, ok := freeIDs(text)
	if ok && !h.hostUsers { // the box's gid is the same number, of another map
		if text, err = readSmall("/proc/self/gid_map"); err != nil {
			return &SetupError{Stage: StageProbe, Layer: LayerNamespaces, Operation: "read", Operand: "/proc/self/gid_map", Err: err, Remedy: "mount /proc"}
		}
		ok = holdsIDs(text, base)
	}
	if !ok { // root of a user namespace with few ids may be an ordinary user outside
		return h.mayBeItself()
	}
	h.ownUID, h.uidBase = true, base
	if err := h.shiftUIDs(); err != nil {
		return err
	}
	h.boxUID, h.boxGID = rootBoxID, rootBoxID
	return nil
}

// mayBeItself refuses the caller whose box, without a uid of its own, would run as
// host root.
func (h *host) mayBeItself() error {
	if h.uid != 0 && h.hostUsers || !mayBeHostRoot(h.uid) {
		return nil
	}
	return &SetupError{Stage: StageProbe, Layer: LayerNamespaces, Operation: "stat", Operand: "/proc/sys", Err: errHostRoot,
		Remedy: "start jail outside of this user namespace, where root's boxes get uids of their own, or start the namespace as an ordinary user; or be uid 0 of one with a range of more than " +
			strconv.Itoa(leastIDs) + " ids, and in a mount namespace of its own"}
}

var errHostRoot = errors.New("the caller is root of the host, or can't be told from it, and its user namespace has no ids to spare for the box")

// namespaceInode tells the caller's namespace of that kind from all others.
func namespaceInode(kind string) (uint64, error) {
	inode, err := hostns.Own(kind)
	if err != nil {
		return 0, &SetupError{Stage: StageProbe, Layer: LayerNamespaces, Operation: "stat", Operand: hostns.Path(kind), Err: err, Remedy: "mount /proc"}
	}
	return inode, nil
}

// shiftUIDs has the boxes of different pid namespaces, such as pods', take uids
// from different places of the range. That two of them meet is no more likely
// than one in 2^22 for each pair of boxes.
func (h *host) shiftUIDs() error {
	pids, err := namespaceInode("pid")
	h.uidShift = shiftOf(pids)
	return err
}

// shiftOf spreads the inodes of neighbours over 32 bits (Knuth's multiplicative
// hashing).
func shiftOf(inode uint64) uint32 {
	if inode == hostns.PIDs {
		return 0
	}
	return uint32(inode) * 2654435761
}

// uidOf is the host uid of the box with that PID 1.
func (h host) uidOf(pid int) int {
	return int(h.uidBase + (uint32(pid)+h.uidShift)%maxThreads)
}

// freeIDs finds room for boxes' uids in a uid_map: the range reserved above
// where everything is mapped, else the upper end of the largest range, which
// distributions leave unused. Host root is in neither: the kernel wants each range
// to lie within one of the namespace around (kernel/user_namespace.c, map_write),
// so it is one on the host as well, where root could only be its first id.
func freeIDs(uidMap []byte) (uint32, bool) {
	var base, size uint64
	for _, e := range idMapEntries(uidMap) {
		if e[0] < ownUIDBase && e[0]+e[2] >= ownUIDBase+leastIDs {
			return ownUIDBase, true
		}
		if e[2] > size {
			base, size = e[0], e[2]
		}
	}
	return uint32(base + size - maxThreads), size > leastIDs
}

// holdsIDs says whether a map holds the ids of boxes, and of their keepers, that begin
// at a base of freeIDs's, and none of them as the first of a range.
func holdsIDs(idMap []byte, base uint32) bool {
	first := uint64(base)
	if base != ownUIDBase {
		first -= maxThreads // see become
	}
	return slices.ContainsFunc(idMapEntries(idMap), func(e [3]uint64) bool { return e[0] < first && first+leastIDs <= e[0]+e[2] })
}

// idMapEntries are the lines of a uid_map: inside, outside, length.
func idMapEntries(uidMap []byte) [][3]uint64 {
	var entries [][3]uint64
	for line := range bytes.Lines(uidMap) {
		var e [3]uint64
		fields := bytes.Fields(line)
		if len(fields) != 3 {
			continue
		}
		for i, f := range fields {
			e[i], _ = strconv.ParseUint(string(f), 10, 32)
		}
		entries = append(entries, e)
	}
	return entries
}
