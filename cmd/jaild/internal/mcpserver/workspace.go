package mcpserver

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// A session's workspace is a folder of the host's below TMPDIR, which every box of the
// session has at one path. It is no tmpfs: an ordinary user could mount one in a user
// namespace only, which tier 2 exists to do without, and root's boxes need mounts that
// can be idmapped, which a tmpfs can from Linux 6.3 on. So what is in it is counted
// while boxes run, as with the private folder of a box of tier 2, and its size is
// what it may reach, not what it can't exceed: between two looks more can be written,
// and what is open and has no name is not seen, but by the file system having little
// left. RLIMIT_FSIZE bounds each file, and each name counts a block, so that there are
// not too many to look at.
//
// How much more, the file system's free space bounds, which can be asked for at any
// time: once half of the room has gone from there the folder is looked at again, and
// once all of the room and as much again as the workspace's size has gone, the boxes
// are ended without a look, whoever took it. So what is written before they are ended is
// no more than that, and what fits between two questions, where the file system
// counts what is not on the disk yet (btrfs does not).
//
// The box that makes it too large is ended, and so are the others that run: nobody
// knows which one it was. What is in it stays, so that it can be made smaller; if it
// grows once more instead, or is twice as large as it may be, it is emptied.
type workspace struct {
	size  int64  // bytes
	path  string // the session's folder; only its folder files is shown to boxes
	files string
	lock  *os.File // held while the session lasts; by it others know that it does

	mu     sync.Mutex
	boxes  map[*use]struct{}
	looks  bool  // somebody watches
	limit  int64 // what it may reach now: its size, or what it had when it was too large
	full   bool  // it is larger than limit: the boxes are being ended
	broken bool  // it could not be emptied
}

// A use of the workspace is that of one box.
type use struct{ cancel context.CancelCauseFunc }

const (
	workspacePrefix = "jail-mcp-"
	newPrefix       = "jail-mcp-new-" // a session's before it is locked
	workspaceTarget = "/workspace"
)

// A tooLarge is why a box is ended when the workspace is: by it, or by one of those beside.
type tooLarge struct{ beside int }

func (*tooLarge) Error() string { return "the workspace became larger than it may be" }

// newWorkspace makes a workspace, and removes those of servers that were killed.
func newWorkspace(size int64) (*workspace, error) {
	base, err := filepath.Abs(os.TempDir())
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return nil, err
	}
	sweep(base, time.Now().Add(sweeping))
	var random [8]byte
	if _, err := unix.Getrandom(random[:], 0); err != nil {
		return nil, fmt.Errorf("getrandom: %w", err)
	}
	name := hex.EncodeToString(random[:])
	w := &workspace{size: size, limit: size, path: filepath.Join(base, newPrefix+name), boxes: map[*use]struct{}{}}
	if err := os.Mkdir(w.path, 0o700); err != nil {
		return nil, err
	}
	if err := w.fill(filepath.Join(base, workspacePrefix+name)); err != nil {
		os.RemoveAll(w.path)
		return nil, err
	}
	if w.scarce() {
		w.remove(time.Now().Add(sweeping))
		return nil, fmt.Errorf("%s has hardly any room left: let TMPDIR be a folder on a larger file system", base)
	}
	return w, nil
}

// fill makes what is in the folder, and gives it its name once it is locked.
func (w *workspace) fill(path string) (err error) {
	if w.lock, err = os.OpenFile(filepath.Join(w.path, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := unix.Flock(int(w.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("flock: %w", err)
	}
	if err := os.Mkdir(filepath.Join(w.path, "files"), 0o700); err != nil {
		return err
	}
	if err := os.Rename(w.path, path); err != nil {
		return err
	}
	w.path, w.files = path, filepath.Join(path, "files")
	return nil
}

// target is where boxes see it. In tier 2 every file is at its own path.
func (w *workspace) target(tier jail.Tier) string {
	if tier == jail.Tier2 {
		return w.files
	}
	return workspaceTarget
}

// remove removes the workspace. No box is left then.
func (w *workspace) remove(until time.Time) {
	removeFolder(w.path, until)
	w.lock.Close()
}

// enter is for a box about to run: ctx ends when the workspace becomes too large.
// Whoever entered calls leave when the box has ended: not nil if that was why.
func (w *workspace) enter(ctx context.Context) (_ context.Context, leave func() *tooLarge, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		w.empty()
	}
	switch {
	case w.broken:
		return nil, nil, errors.New("the workspace holds more than it may, and can't be emptied")
	case w.full:
		return nil, nil, errors.New("the workspace is too large, and what runs is being ended for it; call again")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	u := &use{cancel}
	w.boxes[u] = struct{}{}
	if !w.looks {
		w.looks = true
		go w.watch()
	}
	return ctx, func() *tooLarge {
		cancel(nil)
		w.left(u)
		var why *tooLarge
		errors.As(context.Cause(ctx), &why)
		return why
	}, nil
}

// left is for a box that has ended. The last one leaves a workspace that is settled.
func (w *workspace) left(u *use) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.boxes, u)
	if len(w.boxes) > 0 {
		return
	}
	switch in := w.holds(2 * w.size); {
	case in <= w.size:
		w.limit = w.size
	case w.limit > w.size && in > w.limit, in > 2*w.size:
		w.empty()
	default:
		w.limit = in
	}
	w.full = false
}

// empty empties it; no box is there.
func (w *workspace) empty() {
	fd, err := folder.Open(unix.AT_FDCWD, w.files, 0)
	if err != nil {
		w.broken = true
		return
	}
	defer unix.Close(fd)
	folder.Empty(fd, time.Now().Add(closing))
	w.broken, w.limit = w.holds(w.size) > 0, w.size
}
