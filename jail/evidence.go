package jail

import (
	"bytes"
	"encoding/binary"
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
	evidenceSize = 8 + statusRoom + linkRoom*7
)

func (b *builder) evidence() {
	// Not before the supervisor has read the limits of the group back.
	b.call(unix.SYS_READ, "read", "go-ahead", num(fdChannel), num(b.room(8)), num(1)).wants(1)
	buf := make([]byte, evidenceSize)
	binary.LittleEndian.PutUint32(buf, planMagic)
	binary.LittleEndian.PutUint32(buf[4:], reportEvidence)
	at := b.bytes(buf)
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
	status     map[string]string
	namespaces map[string]string // name → link text
}

func parseEvidence(b []byte) evidence {
	e := evidence{status: map[string]string{}, namespaces: map[string]string{}}
	if len(b) < evidenceSize {
		return e
	}
	for line := range strings.Lines(string(bytes.TrimRight(b[8:8+statusRoom], "\x00"))) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			e.status[key] = strings.Join(strings.Fields(value), " ")
		}
	}
	for i, ns := range evidenceNamespaces {
		at := 8 + statusRoom + i*linkRoom
		e.namespaces[ns] = string(bytes.TrimRight(b[at:at+linkRoom], "\x00"))
	}
	return e
}
