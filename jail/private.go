package jail

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// The private folder of a box of tier 2 lies below the supervisor's TMPDIR and
// goes with the box. A supervisor that is killed leaves it behind: it held a lock
// on it, by which later runs know that it may go.

const privatePrefix = "jail-tier2-"

// privateMark is an extended attribute of such a folder that a caller's own with a
// name like that doesn't have. A box of an ordinary caller's can't set or remove it;
// one of root's can, of its own folder, which that may keep from being swept.
const privateMark = "user.jail.private"

// Its values: of a box, and of what was left for want of time.
const (
	markBox  = "box"
	markRest = "rest"
)

// tempFolder is where private folders lie.
func tempFolder() (string, error) {
	base, err := filepath.Abs(os.TempDir())
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(base)
}

// privateName stands for the folder in a plan that is only shown.
func privateName() string {
	base, err := tempFolder()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, privatePrefix+"…")
}

// newPrivateName is the name of a new one: 16 random digits are nobody else's.
func newPrivateName() (string, error) {
	var random [8]byte
	_, err := unix.Getrandom(random[:], 0)
	return privatePrefix + hex.EncodeToString(random[:]), err
}

// isPrivateName says whether a name is one of those.
func isPrivateName(name string) bool {
	digits, ok := strings.CutPrefix(name, privatePrefix)
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}

func privateError(op, path string, err error) error {
	remedy := "let TMPDIR (else /tmp) be a folder in which the caller may make others, and that everybody may pass"
	if errors.Is(err, unix.ENOSYS) {
		remedy = "a filter holds jail itself, such as that of another box: boxes do not nest"
	}
	return &SetupError{Stage: StageMounts, Layer: LayerRoot, Operation: op, Operand: path, Err: err, Remedy: remedy}
}

// makePrivate makes the folder.
func (r *run) makePrivate() error {
	base, err := tempFolder()
	if err != nil {
		return privateError("readlink", os.TempDir(), err)
	}
	r.sweepPrivate()
	name, err := newPrivateName()
	if err != nil {
		return privateError("getrandom", privatePrefix, err)
	}
	path := filepath.Join(base, name)
	if err := unix.Mkdir(path, 0o700); err != nil {
		return privateError("mkdir", path, err)
	}
	r.private = path
	fd, err := openPrivate(path)
	if err != nil {
		return privateError("open", path, err)
	}
	r.fds.add(fd)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return privateError("flock", path, err)
	}
	if err := unix.Fsetxattr(fd, privateMark, []byte(markBox), 0); err != nil && !noXattrs(err) {
		return privateError("fsetxattr", path, err)
	}
	return nil
}

// openPrivate opens a folder that was made, and gives it its mode: the caller's umask may
// have taken all of it, and a folder around it given it a set-group-ID bit (mkdir(2)).
func openPrivate(path string) (int, error) {
	const mode = 0o700
	fd, err := unix.Open(path, folder.Flags, 0)
	if errors.Is(err, unix.EACCES) { // it may not be read, by its own owner
		place, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		defer unix.Close(place)
		if err := unix.Chmod("/proc/self/fd/"+strconv.Itoa(place), mode); err != nil {
			return -1, err
		}
		return unix.Openat(place, ".", folder.Flags, 0)
	}
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil && st.Mode&0o7777 != mode { // a look costs a tenth of a change
		err = unix.Fchmod(fd, mode)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// noXattrs says whether a file system has none of the user's, such as tmpfs before
// Linux 6.6.
func noXattrs(err error) bool { return errors.Is(err, unix.EOPNOTSUPP) }

// givePrivate makes the box the folder's owner.
func (r *run) givePrivate() error {
	if !r.host.ownUID {
		return nil
	}
	if err := unix.Lchown(r.private, r.hostUID, r.hostGID); err != nil {
		return privateError("lchown", r.private, err)
	}
	return nil
}

// removal is how long a run spends on removing its own private folder; what is left
// then goes like that of a killed supervisor.
const removal = 2 * time.Second

// removePrivate removes a private folder in which no process of the box is left.
func removePrivate(path string) { removePrivateUntil(path, time.Now().Add(removal)) }

func removePrivateUntil(path string, until time.Time) {
	fd, err := folder.Open(unix.AT_FDCWD, path, 0)
	if err != nil {
		unix.Rmdir(path) // one that nothing came into, where a filter forbids the opening
		return
	}
	defer unix.Close(fd)
	if folder.Empty(fd, until) {
		unix.Rmdir(path)
		return
	}
	unix.Fsetxattr(fd, privateMark, []byte(markRest), 0) // without, the rest is young again
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
	base, err := tempFolder()
	if err != nil {
		return
	}
	left, _ := filepath.Glob(filepath.Join(base, privatePrefix+"*"))
	for i := range left {
		if !time.Now().Before(until) {
			return
		}
		// Not always the same first: there may be one that can't be removed.
		if path := left[(i+now.Nanosecond())%len(left)]; isPrivateName(filepath.Base(path)) {
			r.sweepOne(path, age, until)
		}
	}
}

// sweepOne removes a folder if it is one that a killed supervisor left behind. When
// in doubt it stays.
func (r *run) sweepOne(path string, age time.Duration, until time.Time) {
	fd, err := unix.Open(path, folder.Flags, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&0o7777 != 0o700 || !r.ours(st) {
		return
	}
	var mark [8]byte
	n, err := unix.Fgetxattr(fd, privateMark, mark[:])
	unmarked := errors.Is(err, unix.ENODATA)
	if err != nil && !noXattrs(err) && !unmarked {
		return
	}
	if string(mark[:max(n, 0)]) != markRest && time.Since(time.Unix(st.Ctim.Unix())) < age {
		return
	}
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	if unmarked { // of a supervisor that was killed right after it made it, or not ours
		unix.Rmdir(path) // which asks for an empty one
		return
	}
	removePrivateUntil(path, until)
}

// ours says whether a folder belongs to this caller or a box of its.
func (r *run) ours(st unix.Stat_t) bool {
	h := r.host
	return int(st.Uid) == h.uid || h.ownUID && st.Uid >= h.uidBase && st.Uid-h.uidBase < maxThreads
}
