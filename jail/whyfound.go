package jail

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statOf is what the box saw at the path.
func (r *run) statOf() (unix.Stat_t, bool) {
	var st unix.Stat_t
	copy((*[unsafe.Sizeof(st)]byte)(unsafe.Pointer(&st))[:], r.report.tried[r.plan.tried.stat:])
	return st, st.Ino != 0 || st.Mode != 0
}

// mountFlags are those of the mount that the path lies in, as statfs(2) has them.
func (r *run) mountFlags() uint64 {
	return binary.LittleEndian.Uint64(r.report.tried[r.plan.tried.statfs+80:])
}

func (r *run) foundText(st unix.Stat_t, there bool, p string) string {
	if !there {
		return "not in the box, or not to be seen there"
	}
	kind := map[uint32]string{unix.S_IFDIR: "a folder", unix.S_IFREG: "a file", unix.S_IFCHR: "a device", unix.S_IFBLK: "a device", unix.S_IFIFO: "a named pipe", unix.S_IFSOCK: "a socket"}[st.Mode&unix.S_IFMT]
	text := kind + " in the box, mode " + modeText(st.Mode)
	if r.mountFlags()&unix.ST_RDONLY != 0 {
		text += ", mounted read-only"
	}
	if m := r.plan.view.mountAt(p); m != nil {
		switch m.Kind {
		case MountSystem:
			text += ", a part of the operating system"
		case MountTmpfs:
			text += ", in memory of the box's own"
		default:
			text += ", granted from " + strings.TrimSuffix(m.Source, "/")
		}
	}
	return text
}

func modeText(mode uint32) string {
	const digits = "01234567"
	return "0" + string([]byte{digits[mode>>6&7], digits[mode>>3&7], digits[mode&7]})
}
