package jail

import (
	"path"
	"syscall"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// wantOf is what an access of a path is for the hints.
func wantOf(access string) paths.Want {
	switch access {
	case accessRead:
		return paths.Read
	case accessWrite, accessMakeIn:
		return paths.Write
	case accessMake:
		return paths.Make
	case accessExecute, accessMode:
		return paths.Execute
	}
	return paths.Look
}

// ownInMemory is the folder that every box has in memory which a path lies in, or "":
// people may mean the host's of that name.
func (r *run) ownInMemory(p string) string {
	if m := r.plan.view.mountAt(path.Clean(p)); r.spec.inPlace() || m != nil && m.Kind != MountTmpfs {
		return ""
	}
	for _, own := range []string{"/tmp", "/dev/shm"} {
		if pathname.Below(path.Clean(p), own) {
			return own
		}
	}
	return ""
}

func (r *run) explainPath(p string, t, without *try, out *Tried) {
	if t.result >= 0 {
		return
	}
	errno := syscall.Errno(-t.result)
	want := wantOf(t.access)
	ref := &pathRefusal{asked: p, real: p, want: want, errno: errno}
	if t.access == accessMakeIn { // what is refused is a file in it
		ref.asked, ref.real, ref.want = path.Join(p, "…"), path.Join(p, "…"), paths.Make
	}
	if !r.wallOfPath(p, ref, want, t, without, out) {
		return
	}
	if p == "/dev/"+ownTTY && errno == unix.ENOENT {
		out.Grant = "--tty"
		return
	}
	g, ok := r.grantOfPath(ref)
	if !ok {
		if dir := path.Dir(p); want&paths.Make != 0 && !r.looks().Over() && withheld.KernelsOwn(dir) == "" {
			out.Never = "the host does not have that folder either: make " + shellword.Quote(dir) + " there and grant it with --rw"
		}
		return
	}
	out.Grant, out.Setting = g.flags, g.setting
	out.Opens, out.Never = g.opens, g.never
}

// wallOfPath says which wall refused a path, and whether a grant may change that.
func (r *run) wallOfPath(p string, ref *pathRefusal, want paths.Want, t, without *try, out *Tried) bool {
	errno := syscall.Errno(-t.result)
	out.Layer = LayerRoot
	switch {
	case (errno == unix.EACCES || errno == unix.EPERM) && without == nil:
		out.Layer, out.Why = "", untold
		return false
	case (errno == unix.EACCES || errno == unix.EPERM) && without.result != t.result:
		ref.landlock = true
		out.Layer, out.Why = LayerLandlock, "without Landlock it is answered "+resultName(without.result)
		if !r.spec.inPlace() {
			out.Never = "what the mount lets happen and the ruleset does not is nobody's to grant"
			return false
		}
	case errno == unix.ENOENT || errno == unix.ENOTDIR:
		if _, ok := r.looks().At(p); !ok && want&paths.Make == 0 {
			out.Layer, out.Why = "", "it is not in the box, and the host does not show it to the caller either"
			if r.looks().Over() {
				out.Layer, out.Why, out.Never = LayerRoot, "it is not in the box", withheld.TookTooLong
			}
			if withheld.OfProcess(p) {
				out.Layer, out.Why, out.Never = LayerRoot, "it is not in the box", withheld.KernelsOwn(p)
			}
			return false
		}
		out.Why = "it is not in the box, and the host has it"
		if want&paths.Make != 0 {
			out.Why = "the folder that it would lie in is not in the box"
		}
	case errno == unix.EROFS:
		out.Why = "it is mounted read-only"
		ref.errno = unix.EROFS
	case (errno == unix.EACCES || errno == unix.EPERM) && want&(paths.Write|paths.Make) != 0 && r.mountFlags()&unix.ST_RDONLY != 0:
		out.Why = "it is mounted read-only, and its mode refuses the box's user besides"
		ref.errno = unix.EROFS
	case errno == unix.EACCES || errno == unix.EPERM:
		out.Why = "its mode, or that of a folder above it, refuses the box's user, with Landlock or without"
		if want == paths.Execute {
			out.Why = "its mode has no x for the box's user, or what it lies in is mounted noexec, with Landlock or without"
		}
	case errno == unix.ENXIO || errno == unix.ENODEV:
		out.Layer, out.Why = "", "nobody is at its other end, or no such device"
		out.Allowed = true
		return false
	default:
		out.Layer, out.Why = "", "the kernel has another reason than a wall"
		return false
	}
	return true
}
