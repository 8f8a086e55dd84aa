package jail

import (
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// A member is a process of a tree that was looked at.
type member struct {
	folder      string // below /proc, of it or of a thread of it that lives
	pid, parent int
}

// shared adds up the tree's memory once more, each shared page only in the part
// that falls to each who maps it, so that what forked processes have in common is
// counted once. That costs the kernel a walk through all page tables, so it is
// asked only where the cheap sum is past the cap, and no further than to more than
// enough.
func (u treeUse) shared(enough int64) (bytes int64) {
	folders := make(map[int]string, len(u.members))
	for _, m := range u.members {
		folders[m.pid] = m.folder
	}
	for _, m := range u.members {
		if bytes > enough {
			break
		}
		// Between vfork(2) and execve(2) a child has no memory of its own; its
		// pages count as mapped once.
		if parent := folders[m.parent]; parent != "" && oneMemory(parent, m.folder) {
			continue
		}
		bytes += m.proportional()
	}
	return bytes
}

// proportional is a process's part of what it maps, and its page tables; where the
// kernel does not tell the part, the whole. One that has ended has none.
func (m member) proportional() int64 {
	status, err := readSmall(m.folder + "/status")
	if err != nil {
		return 0
	}
	if rollup, err := readSmall(m.folder + "/smaps_rollup"); err == nil {
		if part, ok := sumFields(rollup, "Pss_Anon", "Pss_Shmem", "SwapPss"); ok {
			tables, _ := sumFields(status, "VmPTE")
			return part + tables
		}
	}
	whole, _ := statusMemory(status)
	return whole
}

// oneMemory says whether two tasks have one address space (kcmp(2)). A kernel that
// can't tell says no.
func oneMemory(a, b string) bool {
	const vm = 1 // KCMP_VM
	one, err := strconv.Atoi(path.Base(a))
	if err != nil {
		return false
	}
	other, err := strconv.Atoi(path.Base(b))
	if err != nil {
		return false
	}
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(one), uintptr(other), vm, 0, 0, 0)
	return errno == 0 && order == 0
}
