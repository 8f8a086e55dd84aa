package jail

import (
	"errors"
	"os"
	"path/filepath"
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

// removal is how long a run spends on removing its own private folder; what is left
// then goes like that of a killed supervisor.
const removal = 2 * time.Second

// removePrivate removes a private folder in which no process of the box is left.
func removePrivate(path string) { removePrivateUntil(path, time.Now().Add(removal)) }

func removePrivateUntil(path string, until time.Time) {
	fd, err := openFolder(unix.AT_FDCWD, path, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if emptyFolder(fd, until) {
		unix.Rmdir(path)
	}
}

// sweeping is how long each run spends on the leftovers of killed ones.
const sweeping = 100 * time.Millisecond

// sweepPrivate removes what killed supervisors of this caller left behind. What it
// has no time for is for the next run.
func (r *run) sweepPrivate() { r.sweepPrivateOlder(time.Minute) }

// sweepPrivateOlder leaves younger ones alone: they may not have been locked yet.
func (r *run) sweepPrivateOlder(age time.Duration) {
	now := time.Now()
	until := now.Add(sweeping)
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), privatePrefix+"*"))
	for i := range left {
		if !time.Now().Before(until) {
			return
		}
		// Not always the same first: there may be one that can't be removed.
		r.sweepOne(left[(i+now.Nanosecond())%len(left)], age, until)
	}
}

// sweepOne removes a folder if it is one that a killed supervisor left behind.
func (r *run) sweepOne(path string, age time.Duration, until time.Time) {
	fd, err := unix.Open(path, folderFlags, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && r.ours(st) && time.Since(time.Unix(st.Ctim.Unix())) >= age && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		removePrivateUntil(path, until)
	}
}

// ours says whether a folder belongs to this caller or a box of its.
func (r *run) ours(st unix.Stat_t) bool {
	h := r.host
	return int(st.Uid) == h.uid || h.ownUID && st.Uid >= h.uidBase && st.Uid-h.uidBase < maxThreads
}
