package jail

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// judge looks a path of the box's up and notes what of that which is wanted of it is
// there to be had. It returns where the path leads, or "" if something is refused.
func (t *tracer) judge(full string, o paths.Operand) string {
	asked := path.Clean(full)
	if real, ok := t.seen.again(asked, o); ok {
		return real
	}
	fd, err := t.open(full, o.NoFollow)
	if errors.Is(err, unix.ENOENT) && o.Want&paths.Make != 0 {
		return t.make(full, asked, o)
	}
	if err != nil {
		errno, ok := err.(syscall.Errno)
		if ok && (errno == unix.ENOENT || errno == unix.ENOTDIR || errno == unix.EACCES) {
			t.seen.refuse(pathRefusal{asked: asked, want: o.Want, errno: errno})
		}
		return ""
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	real, ok := linkText("/proc/self/fd/" + strconv.Itoa(fd))
	if unix.Fstat(fd, &st) != nil || !ok {
		t.seen.failed()
		return ""
	}
	if o.New || ofItself(real) {
		return "" // it is there already, which is no wall's doing
	}
	use, leads := pathUse{asked: asked, real: real, mode: st.Mode}, real
	for _, want := range []paths.Want{paths.Look, paths.Enter, paths.Read, paths.Write, paths.Remove, paths.Execute, paths.Change, paths.Connect, paths.Ask} {
		if o.Want&want == 0 {
			continue
		}
		if errno := t.refused(fd, full, real, want, st); errno != 0 {
			t.seen.refuse(pathRefusal{asked: asked, real: real, want: want, errno: errno}.told())
			leads = ""
		} else {
			use.did |= want
		}
	}
	if o.Anew && use.did&paths.Write != 0 {
		use.did |= paths.Replace
	}
	if o.Want&paths.Make != 0 && o.Want&(paths.Read|paths.Write) == 0 { // a rename onto it
		leads = t.make(full, asked, o)
	}
	t.seen.note(use)
	return leads
}

// open looks a path up below the box's root.
func (t *tracer) open(full string, noFollow bool) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	if noFollow {
		how.Flags |= unix.O_NOFOLLOW
	}
	return unix.Openat2(t.root, strings.TrimLeft(full, "/")+dot(full), &how)
}

// dot stands for the root itself.
func dot(full string) string {
	if strings.Trim(full, "/") == "" {
		return "."
	}
	return ""
}

// make notes that something is made at a path, if its folder lets it. It returns what
// judge does.
func (t *tracer) make(full, asked string, o paths.Operand) string {
	opens := o.Want&paths.Write != 0 && o.Want&paths.Read == 0 && !o.New
	trimmed := strings.TrimRight(full, "/")
	above := trimmed[:strings.LastIndexByte(trimmed, '/')+1]
	fd, err := t.open(above, false)
	if err != nil {
		if errno, ok := err.(syscall.Errno); ok && errno == unix.ENOENT {
			t.seen.refuse(pathRefusal{asked: asked, want: paths.Make, errno: errno, opens: opens})
		}
		return ""
	}
	defer unix.Close(fd)
	real, ok := linkText("/proc/self/fd/" + strconv.Itoa(fd))
	if !ok {
		t.seen.failed()
		return ""
	}
	at := path.Join(real, path.Base(asked))
	if errno := t.writable(fd, real); errno != 0 {
		t.seen.refuse(pathRefusal{asked: asked, real: at, want: paths.Make, errno: errno, opens: opens}.told())
		return ""
	}
	t.seen.note(pathUse{asked: asked, real: at, did: o.Want})
	return at
}

// refused is what the kernel, asked as the box's user, has against a want, or 0.
func (t *tracer) refused(fd int, full, real string, want paths.Want, st unix.Stat_t) syscall.Errno {
	dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch want {
	case paths.Enter:
		return may(fd, unix.X_OK)
	case paths.Read:
		return first(may(fd, unix.R_OK), t.landlock(real, false))
	case paths.Write:
		return first(may(fd, unix.W_OK), t.landlock(real, true), t.pipe(real, st.Mode))
	case paths.Ask:
		return first(may(fd, unix.W_OK), t.landlock(real, true))
	case paths.Execute:
		if dir {
			return 0 // EACCES is the file's kind then
		}
		return first(may(fd, unix.X_OK), t.landlock(real, false))
	case paths.Connect:
		return may(fd, unix.W_OK)
	case paths.Change:
		if st.Uid != uint32(t.box.hostUID) {
			return first(readOnly(fd), unix.EPERM)
		}
		return readOnly(fd)
	case paths.Remove:
		above, err := t.open(path.Dir(strings.TrimRight(full, "/")), false)
		if err != nil {
			return 0
		}
		defer unix.Close(above)
		return t.writable(above, path.Dir(real))
	}
	return 0
}

func first(errnos ...syscall.Errno) syscall.Errno {
	for _, e := range errnos {
		if e != 0 {
			return e
		}
	}
	return 0
}

// writable is what is against making or removing something in a folder.
func (t *tracer) writable(fd int, real string) syscall.Errno {
	return first(readOnly(fd), may(fd, unix.W_OK|unix.X_OK), t.landlock(real, true))
}

// may asks the kernel what this thread may do: modes, access lists, and whether the
// mount is read-only or forbids executing.
func may(fd int, mode uint32) syscall.Errno {
	err := unix.Faccessat(fd, "", mode, unix.AT_EMPTY_PATH|unix.AT_EACCESS)
	if errno, ok := err.(syscall.Errno); ok && (errno == unix.EROFS || errno == unix.EACCES) {
		return errno
	}
	return 0
}

func readOnly(fd int) syscall.Errno {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) == nil && fs.Flags&unix.ST_RDONLY != 0 {
		return unix.EROFS
	}
	return 0
}

// landlock is what the ruleset has against a path in tier 2, where nothing else
// stands before the host's files. In tier 1 it has the same grants as the mounts,
// which answer first.
func (t *tracer) landlock(real string, write bool) syscall.Errno {
	if strings.HasPrefix(real, "/dev/") || t.box.ruled(real, write) {
		return 0
	}
	return byLandlock
}

// pipe is what the ruleset has against writing to a named pipe in tier 1, where a
// read-only mount has nothing against it: it keeps the file system as it is, and what is
// written to a pipe does not change that.
func (t *tracer) pipe(real string, mode uint32) syscall.Errno {
	if mode&unix.S_IFMT != unix.S_IFIFO || t.box.pipeRuled(real) {
		return 0
	}
	return byLandlock
}

// pipeRuled says whether the ruleset, by its text, lets a named pipe be written to. The
// rights of a folder hold for what is mounted below it as well.
func (r *run) pipeRuled(real string) bool {
	if r.plan.handled.abi == 0 || r.plan.view.mountAt(real) == nil {
		return true
	}
	for dir := real; dir != "/" && dir != "."; dir = path.Dir(dir) {
		if m := r.plan.view.grants[dir]; m != nil && (m.Kind == MountRW || m.Kind == MountTmpfs) {
			return true
		}
	}
	return false
}

// ruled says whether tier 2's ruleset, by its text, lets a path be read, or written.
func (r *run) ruled(real string, write bool) bool {
	if !r.spec.inPlace() {
		return true
	}
	if name, ok := strings.CutPrefix(real, "/dev/"); ok && slices.Contains(devices, name) {
		return true
	}
	return slices.ContainsFunc(r.plan.view.entries, func(e entry) bool {
		return e.kind == entryMount && pathname.Below(real, e.path) && (!write || e.mount.Kind == MountRW || e.mount.Kind == MountTmpfs)
	})
}

// byLandlock is EACCES that no mode is the reason of.
const byLandlock = 1<<16 | unix.EACCES

// told is r with the errno that the program is told.
func (r pathRefusal) told() pathRefusal {
	if r.errno == byLandlock {
		r.errno, r.landlock = unix.EACCES, true
	}
	return r
}
