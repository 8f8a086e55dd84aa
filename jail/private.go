package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The private folder of a box of tier 2 lies below the supervisor's TMPDIR and
// goes with the box. A supervisor that is killed leaves it behind: it held a lock
// on it, by which later runs know that it may go.

const privatePrefix = "jail-tier2-"

// privateName stands for the folder in a plan that is only shown.
func privateName() string { return filepath.Join(os.TempDir(), privatePrefix+"…") }

// makePrivate makes the folder, for the box to own.
func (r *run) makePrivate() error {
	fail := func(op, path string, err error) error {
		remedy := "let TMPDIR (else /tmp) be a folder in which the caller may make others, and that everybody may pass"
		if errors.Is(err, unix.ENOSYS) {
			remedy = "a filter holds jail itself, such as that of another box: boxes do not nest"
		}
		return &SetupError{Stage: StageMounts, Layer: LayerRoot, Operation: op, Operand: path, Err: err, Remedy: remedy}
	}
	r.sweepPrivate()
	base, err := filepath.EvalSymlinks(os.TempDir())
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		return fail("readlink", os.TempDir(), err)
	}
	path, err := os.MkdirTemp(base, privatePrefix)
	if err != nil {
		return fail("mkdir", base, err)
	}
	r.private = path
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail("open", path, err)
	}
	r.fds.add(fd)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fail("flock", path, err)
	}
	if r.host.ownUID {
		if err := unix.Fchown(fd, r.hostUID, r.hostGID); err != nil {
			return fail("fchown", path, err)
		}
	}
	return nil
}

// removePrivate removes a private folder in which no process of the box is left.
// The box may have made folders that even their owner can't look into.
func removePrivate(path string) {
	for range 1000 {
		err := os.RemoveAll(path)
		var p *fs.PathError
		if !errors.As(err, &p) || !errors.Is(err, fs.ErrPermission) {
			return
		}
		for dir := p.Path; strings.HasPrefix(dir, path); dir = filepath.Dir(dir) {
			openUp(dir)
		}
	}
}

// openUp lets its owner into a folder, and follows no link to it.
func openUp(dir string) {
	place, err := openPlace(unix.AT_FDCWD, dir, 0)
	if err != nil {
		return
	}
	defer unix.Close(place)
	var st unix.Stat_t
	if unix.Fstat(place, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		os.Chmod("/proc/self/fd/"+strconv.Itoa(place), 0o700)
	}
}

// sweepPrivate removes what killed supervisors of this caller left behind, a few
// at most.
func (r *run) sweepPrivate() { r.sweepPrivateOlder(time.Minute) }

// sweepPrivateOlder leaves younger ones alone: they may not have been locked yet.
func (r *run) sweepPrivateOlder(age time.Duration) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), privatePrefix+"*"))
	for removed, i := 0, 0; i < len(left) && removed < sweepLooks; i++ {
		fd, err := unix.Open(left[i], unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && r.ours(st) && time.Since(time.Unix(st.Ctim.Unix())) >= age && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			removePrivate(left[i])
			removed++
		}
		unix.Close(fd)
	}
}

// ours says whether a folder belongs to this caller or a box of its.
func (r *run) ours(st unix.Stat_t) bool {
	h := r.host
	return int(st.Uid) == h.uid || h.ownUID && st.Uid >= h.uidBase && st.Uid-h.uidBase < maxThreads
}
