package jail

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Evidence is what the kernel says about the process that is about to become
// the program: its /proc status and its namespaces, read by itself after the
// last wall was up and right before execve. PID 1's code reads it; nothing of
// the program has run.

// evidenceNamespaces are the namespaces that a box has of its own.
var evidenceNamespaces = []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}

const (
	statusRoom   = 2560
	linkRoom     = 32 // "cgroup:[4026531835]"
	rootAt       = 8 + statusRoom + linkRoom*7
	evidenceSize = rootAt + statfsSize
)

// rootEvidence has the kernel say what the root is, while the filter, which a
// caller may make stricter, does not stand yet.
func (b *builder) rootEvidence() {
	buf := make([]byte, evidenceSize)
	binary.LittleEndian.PutUint32(buf, planMagic)
	binary.LittleEndian.PutUint32(buf[4:], reportEvidence)
	b.proof = b.bytes(buf)
	b.call(unix.SYS_STATFS, "statfs", "/", b.str("/"), num(b.proof+rootAt)).wants(0)
}

func (b *builder) evidence() {
	// Not before the supervisor has read the limits of the group back. A program
	// that is named later waits for that.
	if !b.shape.late {
		b.call(unix.SYS_READ, "read", "go-ahead", num(fdChannel), num(b.room(8)), num(1)).wants(1)
	}
	at := b.proof
	status := b.cell("status file")
	b.call(unix.SYS_OPENAT, "openat", "/proc/self/status", num(unix.AT_FDCWD, "AT_FDCWD"), b.str("/proc/self/status"), num(unix.O_RDONLY|unix.O_CLOEXEC, "O_RDONLY|O_CLOEXEC"), num(0)).keep(status)
	b.call(unix.SYS_READ, "read", "/proc/self/status", status.arg(), num(at+8), num(statusRoom))
	for i, ns := range evidenceNamespaces {
		link := "/proc/self/ns/" + ns
		b.call(unix.SYS_READLINKAT, "readlinkat", link, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(link), num(at+8+statusRoom+uint64(i*linkRoom)), num(linkRoom))
	}
	b.call(unix.SYS_WRITE, "write", "evidence", num(fdReport), num(at), num(evidenceSize)).wants(evidenceSize)
}

// evidence is the parsed form.
type evidence struct {
	status     statusText
	namespaces map[string]string // name → link text
	rootType   uint64            // f_type of statfs(2)
	rootFlags  uint64            // f_flags
}

// rootText is what statfs(2) says of the root.
func (e evidence) rootText() string {
	text := "type 0x" + strconv.FormatUint(e.rootType, 16)
	if e.rootType == unix.TMPFS_MAGIC {
		text = "tmpfs"
	}
	if e.rootFlags&unix.ST_RDONLY != 0 {
		return text + " read-only"
	}
	return text + " writable"
}

// statusText is a /proc/PID/status (proc_pid_status(5)).
type statusText string

// field is what a line of it says, with one space between words, or "".
func (s statusText) field(key string) string {
	for line := range strings.Lines(string(s)) {
		if value, ok := strings.CutPrefix(line, key); ok && value != "" && value[0] == ':' {
			return strings.Join(strings.Fields(value[1:]), " ")
		}
	}
	return ""
}

func parseEvidence(b []byte) evidence {
	e := evidence{namespaces: map[string]string{}}
	if len(b) < evidenceSize {
		return e
	}
	e.status = statusText(bytes.TrimRight(b[8:8+statusRoom], "\x00"))
	for i, ns := range evidenceNamespaces {
		at := 8 + statusRoom + i*linkRoom
		e.namespaces[ns] = string(bytes.TrimRight(b[at:at+linkRoom], "\x00"))
	}
	e.rootType = binary.LittleEndian.Uint64(b[rootAt:])
	e.rootFlags = binary.LittleEndian.Uint64(b[rootAt+80:])
	return e
}
