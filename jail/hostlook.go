package jail

import (
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/pid1"
)

// What was not in the box is looked up on the host when the box is gone: earlier,
// the program could have learnt by the time that it takes what the host has.

// hostLooksTake is what looking may take in all: how many paths there are, how deep
// they are and which mounts they lie below is the program's choice. A variable for the
// tests alone: an emulated processor does not get far in what people wait for hints.
var hostLooksTake = time.Second

// hostLooks looks at paths of a program's choice on the host, and only so long. A look
// that does not come back is left behind with its thread: it must not be one that
// SIGKILL does not end, or the supervisor would not end either.
type hostLooks struct {
	until time.Time
	over  bool // no more of them
	// stop ends what was left behind when its time was over: how long that would go on is
	// the program's choice as well, and whoever started the run goes on too.
	stop  *atomic.Bool
	takes time.Duration
	// left is for the looks alone, without what is done between them, in place of until.
	left *time.Duration
	// closed are mount points that are not looked below. They are asked for anew when a run
	// is over, as there may be others by then.
	closed []string
	// written are folders of the host that the box may write to: a link that lies in
	// one is the program's word, and what it leads to nothing that it asks us to look at.
	written []string
	// around are the folders that the caller is in, and granted.
	around   []string
	read     []string               // those of them that the box may only read
	named    []string               // what the caller names to the program
	cwd      string                 // that folder of the caller's, or ""
	gitTrees *gitTrees              // nil until asked (repositories)
	gitRead  map[string]*gitConfigs // gitSettings
	homes    []string
	policy   []string // ProfileRef.Files
	// programs are the folders of the programs that the caller runs.
	programs []string
	loaded   []loadedPlace   // loadedBy
	keys     []keyPlace      // keysBy
	byLinks  *linkedPrograms // nil until asked (linked)
	// linkedSecrets are links among the caller's secrets and where they lead; nil until
	// asked (secretBehind).
	linkedSecrets map[string]string
	mounts        hostmounts.List
	// held is what was found in folders (holds), by their paths.
	held map[string]string
}

func newHostLooks(v view, takes time.Duration) *hostLooks { return newLooksFor(v, takes, nil) }

// newLooksFor is newHostLooks with a bound on the looks alone, if there is one (left).
func newLooksFor(v view, takes time.Duration, left *time.Duration) *hostLooks {
	h := &hostLooks{until: time.Now().Add(takes), takes: takes, left: left, stop: &atomic.Bool{}, held: map[string]string{}, gitRead: map[string]*gitConfigs{}}
	for _, m := range v.grants {
		if m.Kind == MountRW {
			h.written = append(h.written, m.Source)
		}
		if m.Kind == MountRO {
			h.read = append(h.read, m.Source)
		}
		if m.Kind == MountRW || m.Kind == MountRO {
			h.around = append(h.around, m.Source)
		}
	}
	if dir, err := syscall.Getwd(); err == nil && path.IsAbs(dir) {
		h.around, h.cwd = append(h.around, dir), dir
	}
	cwd, around := h.cwd, h.around
	var mounts hostmounts.List
	var closed, homes, programs []string
	var loaded []loadedPlace
	var keys []keyPlace
	if h.bounded(func() {
		var err error
		mounts, err = hostmounts.Read()
		if closed = mounts.Closed(); err != nil {
			closed = []string{"/"} // which mounts there are is not known
		}
		homes = homesOf(closed)
		programs = programsOf(closed, homes, cwd)
		looks := &hostLooks{closed: closed, homes: homes, cwd: cwd, around: around, stop: h.stop}
		loaded, keys = looks.loadedBy(), looks.keysBy()
	}) {
		h.mounts, h.closed, h.homes, h.programs, h.loaded, h.keys = mounts, closed, homes, programs, loaded, keys
	}
	return h
}

// looks are a run's; all that is asked of them shares one bound.
func (r *run) looks() *hostLooks {
	if r.hostLooks == nil {
		r.hostLooks = newHostLooks(r.plan.view, hostLooksTake)
		if r.spec.Profile != nil {
			r.hostLooks.policy = r.spec.Profile.Files
		}
		r.hostLooks.named = r.namedPaths()
	}
	return r.hostLooks
}

// bounded does what touches the host's files, if there is time left, and says whether
// it was done. What was not done in time still writes what do writes, until it
// sees that it is to stop: nobody reads that any more.
func (h *hostLooks) bounded(do func()) bool {
	left := time.Until(h.until)
	if h.left != nil {
		left = *h.left
		defer func(began time.Time) { *h.left -= time.Since(began) }(time.Now())
	}
	if h.over || left <= 0 {
		h.over = true
		return false
	}
	done := make(chan struct{})
	pid1.Alongside(func() { // ends when the kernel lets it go, or with the process
		defer close(done)
		do()
	})
	late := time.NewTimer(left)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		h.over = true
		h.stop.Store(true)
		return false
	}
}

// stopped says that nobody waits for what is being looked at any more.
func (h *hostLooks) stopped() bool { return h.stop != nil && h.stop.Load() }

// unfound is why no flag is named for what at does not have: why, if that was looked up
// at all.
func (h *hostLooks) unfound(why string) string {
	if h.over {
		return tookTooLong
	}
	return why
}

// A hostFile is what the host has at a path.
type hostFile struct {
	real string // with links resolved
	mode uint32
	// kept says that its mode, or that of a folder above it, keeps others from reading it.
	kept bool
	// never is why no flag grants it, if the look has shown that.
	never string
}

func (f hostFile) dir() bool { return f.mode&unix.S_IFMT == unix.S_IFDIR }

// at is what the host has at a path; not ok is for nothing, and for what is not looked
// at.
func (h *hostLooks) at(p string) (hostFile, bool) {
	type answer struct {
		f  hostFile
		ok bool
	}
	var a answer
	if !h.bounded(func() { a.f, a.ok = h.look(p) }) {
		return hostFile{}, false
	}
	return a.f, a.ok
}

// look does not wake an automounter, and resolves links itself for the same reason. When
// nobody waits any more it finds nothing.
func (h *hostLooks) look(p string) (hostFile, bool) {
	rest, at := strings.Split(strings.Trim(path.Clean(p), "/"), "/"), "/"
	f := hostFile{real: "/", mode: unix.S_IFDIR}
	if rest[0] == "" {
		return f, true
	}
	shutAbove := false
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		if h.stopped() || slices.Contains(h.closed, next) || ofProcess(next) {
			return hostFile{}, false
		}
		var st unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, next, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_MODE, &st) != nil {
			return hostFile{}, false
		}
		rest = rest[1:]
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			if st.Attributes&unix.STATX_ATTR_AUTOMOUNT != 0 && len(rest) > 0 {
				return hostFile{}, false
			}
			at, f = next, hostFile{real: next, mode: uint32(st.Mode), kept: shutAbove || st.Mode&unix.S_IROTH == 0}
			shutAbove = shutAbove || st.Mode&unix.S_IXOTH == 0
			continue
		}
		if why := h.unfollowed(at, next); why != "" {
			return hostFile{real: next, mode: uint32(st.Mode), never: why}, len(rest) == 0 || h.isWritten(at)
		}
		text, err := os.Readlink(next)
		if hops++; err != nil || hops > 40 {
			return hostFile{}, false
		}
		if path.IsAbs(text) {
			at = "/"
		}
		if clean := strings.Trim(path.Clean(text), "/"); clean != "" && clean != "." {
			rest = append(strings.Split(clean, "/"), rest...)
		}
		if at == "/" && len(rest) == 0 {
			f = hostFile{real: "/", mode: unix.S_IFDIR}
		}
	}
	return f, true
}

// unfollowed says why a link in a folder is not followed, or "". Those of /proc lead
// where no path does: to the folders and files of other processes, and of jail itself.
func (h *hostLooks) unfollowed(dir, link string) string {
	if pathname.Below(link, "/proc") {
		return kernelsOwn(link)
	}
	if h.isWritten(dir) {
		return "a link in a folder that the box may write to leads out of the box: grant by name what it leads to"
	}
	return ""
}

func (h *hostLooks) isWritten(dir string) bool {
	return slices.ContainsFunc(h.written, func(w string) bool { return pathname.Below(dir, w) })
}

// ofProcess says whether a path is that of a process in /proc: which there are is
// nobody's business in a box.
func ofProcess(p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && (first == "self" || first == "thread-self" || strings.Trim(first, "0123456789") == "")
}
