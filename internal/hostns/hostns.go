// Package hostns tells this process's namespaces from the host's own.
package hostns

import "golang.org/x/sys/unix"

// The inodes of the initial namespaces (include/uapi/linux/nsfs.h).
const (
	Users = 0xEFFFFFFD
	PIDs  = 0xEFFFFFFC
)

// Path is that of this process's own namespace of a kind, such as "user".
func Path(kind string) string { return "/proc/self/ns/" + kind }

// Own is the inode of that.
func Own(kind string) (uint64, error) {
	var st unix.Stat_t
	err := unix.Stat(Path(kind), &st)
	return st.Ino, err
}
