package jail

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/notify"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// A tracer hears of the calls that take paths and that the filter allows
// (Spec.Trace). It looks each path up in the box's own tree, as the box's user,
// before the call goes on, and notes what it finds. The call is the kernel's to
// carry out, whatever is found: what is read from the caller's memory may be
// something else a moment later, and so may be what lies at the path. That is why
// an entry says what was seen beside the call, not what the call was answered, and
// why nothing is ever decided on it.
//
// A box is traced one call at a time. What that costs the supervisor no cgroup of
// the box's caps: no more than one processor, for as long as the box runs.
type tracer struct {
	seen     seenPaths
	root     int   // the box's, -1 until it could be opened
	inMemory []int // and its folders in memory that have no size of their own
	box      *run
}

// traced are the calls of which a tracer hears: those with paths, the making of
// sockets, and what was allowed by name.
func traced(allowed []string) []seccomp.Traced {
	list := []seccomp.Traced{{Syscall: "socket"}}
	for _, name := range allowed {
		list = append(list, seccomp.Traced{Syscall: name})
	}
	for _, c := range paths.Calls() {
		list = append(list, seccomp.Traced{Syscall: c.Name, Unless: seccomp.Arg{Index: c.Flags, Mask: c.Unless}})
	}
	return list
}

func newTracer(r *run) *tracer {
	return &tracer{root: -1, box: r, seen: newSeenPaths()}
}

// become has the calling thread, which is the goroutine's for good, ask as the
// box's user. With the user the kernel takes away what root has beyond modes
// (capabilities(7), "Effect of user ID changes"), and leaves what it takes to read
// the box's memory.
func (t *tracer) become() {
	if !t.box.host.ownUID {
		return
	}
	syscall.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0) // of this thread alone
	unix.Setfsgid(t.box.hostGID)
	unix.Setfsuid(t.box.hostUID)
	unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) // which the kernel has cleared, of the whole process
}

// see notes the paths of a call.
func (t *tracer) see(l *notify.Listener, c notify.Call, name string) {
	if name == "socket" {
		t.seen.family(int(int32(c.Args[0])))
	}
	if name == "connect" {
		t.address(l, c)
	}
	if slices.Contains(t.box.spec.Seccomp.Allow, name) {
		t.seen.call(name)
	}
	operands := paths.Of(name, c.Args)
	leads := make([]string, len(operands))
	for i, o := range operands {
		text, ok := t.text(c.PID, o)
		if ok && text == "" {
			continue
		}
		var base string
		if ok && text[0] != '/' {
			base, ok = folderOf(c.PID, o.FD)
		}
		if t.root < 0 && ok {
			if t.root, ok = rootOf(c.PID); ok {
				t.openMemory()
			}
		}
		// Now it is certain that all of this was the caller's.
		if !ok || !l.Waits(c) {
			t.seen.failed()
			continue
		}
		t.seen.begin()
		full := text
		if base != "" {
			full = strings.TrimSuffix(base, "/") + "/" + text
		}
		if !ofItself(path.Clean(full)) {
			leads[i] = t.judge(full, o)
		}
	}
	if len(leads) == 2 && leads[0] != "" && leads[1] != "" { // rename(2), link(2)
		t.seen.move(path.Dir(leads[0]), path.Dir(leads[1]))
	}
}

func (t *tracer) end() {
	if t == nil || t.root < 0 {
		return
	}
	t.measure()
	unix.Close(t.root)
	for _, fd := range t.inMemory {
		unix.Close(fd)
	}
}

// text is the path of an operand, or that in an address; "" is for one that names
// nothing in a tree.
func (t *tracer) text(pid int, o paths.Operand) (string, bool) {
	if pid == 0 {
		return "", false
	}
	if o.Socket {
		return socketPath(pid, o)
	}
	for _, room := range []int{256, unix.PathMax} { // most are short
		b := make([]byte, room)
		n := notify.Read(pid, o.Address, b)
		if end := bytes.IndexByte(b[:n], 0); end >= 0 {
			return string(b[:end]), true
		}
		if n < room {
			break
		}
	}
	return "", false
}

// socketPath is that in a struct sockaddr_un; other families have none, and neither
// have the names that start with NUL (unix(7)).
func socketPath(pid int, o paths.Operand) (string, bool) {
	const family, longest = 2, 108
	b := make([]byte, family+longest)
	b = b[:min(uint64(len(b)), o.Length)]
	n := notify.Read(pid, o.Address, b)
	if n < family {
		return "", false
	}
	if uint16(b[0])|uint16(b[1])<<8 != unix.AF_UNIX {
		return "", true
	}
	name, _, _ := bytes.Cut(b[family:n], []byte{0})
	return string(name), true
}

// folderOf is the folder from which a relative path counts, as the box names it.
func folderOf(pid int, fd int32) (string, bool) {
	link := "/proc/" + strconv.Itoa(pid) + "/cwd"
	if fd != unix.AT_FDCWD {
		link = "/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(int(fd))
	}
	return linkText(link)
}

func linkText(link string) (string, bool) {
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlink(link, b)
	if err != nil || n <= 0 || b[0] != '/' || bytes.HasSuffix(b[:n], []byte(" (deleted)")) {
		return "", false
	}
	return string(b[:n]), true
}

func rootOf(pid int) (int, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return fd, err == nil
}

// ofItself says whether a path is one of the asking process's own in /proc, which
// mean something else to anybody else, or leads there.
func ofItself(p string) bool {
	for _, own := range []string{"/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/proc"} {
		if p == own || strings.HasPrefix(p, own+"/") && own != "/proc" {
			return true
		}
	}
	return withheld.OfProcess(p)
}
