package withheld

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

// Takes is what looking may take in all: how many paths there are, how deep
// they are and which mounts they lie below is the program's choice. A variable for the
// tests alone: an emulated processor does not get far in what people wait for hints.
var Takes = time.Second

// Looks looks at paths of a program's choice on the host, and only so long. A look
// that does not come back is left behind with its thread: it must not be one that
// SIGKILL does not end, or the supervisor would not end either.
type Looks struct {
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
	policy   []string // Box.Policy
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

// A Box is what is known of the box that something would be granted to. The zero Box is
// none in particular.
type Box struct {
	// Read and Written are folders and files of the host's that it may read only, and
	// write to.
	Read, Written []string
	// Policy are the files of its profile, and Named what the caller names to the program.
	Policy, Named []string
}

// New is for no box in particular. All that is asked of one shares a bound in time (Takes).
func New() *Looks { return For(Box{}) }

// For is New for a box.
func For(b Box) *Looks { return looksFor(b, nil) }

// NewFor is New with a bound on the time that looking takes, whatever is done between the
// looks.
func NewFor(looking time.Duration) *Looks { return looksFor(Box{}, &looking) }

func looksFor(b Box, left *time.Duration) *Looks {
	h := &Looks{until: time.Now().Add(Takes), takes: Takes, left: left, stop: &atomic.Bool{}, held: map[string]string{}, gitRead: map[string]*gitConfigs{}}
	h.read, h.written, h.policy, h.named = b.Read, b.Written, b.Policy, b.Named
	h.around = slices.Concat(b.Read, b.Written)
	if dir, err := syscall.Getwd(); err == nil && path.IsAbs(dir) {
		h.around, h.cwd = append(h.around, dir), dir
	}
	cwd, around := h.cwd, h.around
	var mounts hostmounts.List
	var closed, homes, programs []string
	var loaded []loadedPlace
	var keys []keyPlace
	if h.Bounded(func() {
		var err error
		mounts, err = hostmounts.Read()
		if closed = mounts.Closed(); err != nil {
			closed = []string{"/"} // which mounts there are is not known
		}
		homes = homesOf(closed)
		programs = programsOf(closed, homes, cwd)
		looks := &Looks{closed: closed, homes: homes, cwd: cwd, around: around, stop: h.stop}
		loaded, keys = looks.loadedBy(), looks.keysBy()
	}) {
		h.mounts, h.closed, h.homes, h.programs, h.loaded, h.keys = mounts, closed, homes, programs, loaded, keys
	}
	return h
}

// Bounded does what touches the host's files, if there is time left, and says whether
// it was done. What was not done in time still writes what do writes, until it
// sees that it is to stop: nobody reads that any more.
func (h *Looks) Bounded(do func()) bool {
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

// Over says that there is no time left: nothing is looked at any more.
func (h *Looks) Over() bool { return h.over }

// stopped says that nobody waits for what is being looked at any more.
func (h *Looks) stopped() bool { return h.stop != nil && h.stop.Load() }

// Unfound is why no flag is named for what at does not have: why, if that was looked up
// at all.
func (h *Looks) Unfound(why string) string {
	if h.over {
		return TookTooLong
	}
	return why
}

// A File is what the host has at a path.
type File struct {
	Real string // with links resolved
	Mode uint32 // as of stat(2)
	// Kept says that its mode, or that of a folder above it, keeps others from reading it.
	Kept bool
	// Never is why no flag grants it, if the look has shown that.
	Never string
}

// Dir says whether it is a folder.
func (f File) Dir() bool { return f.Mode&unix.S_IFMT == unix.S_IFDIR }

// At is what the host has at a path; not ok is for nothing, and for what is not looked
// at.
func (h *Looks) At(p string) (File, bool) {
	type answer struct {
		f  File
		ok bool
	}
	var a answer
	if !h.Bounded(func() { a.f, a.ok = h.look(p) }) {
		return File{}, false
	}
	return a.f, a.ok
}

// look does not wake an automounter, and resolves links itself for the same reason. When
// nobody waits any more it finds nothing.
func (h *Looks) look(p string) (File, bool) {
	rest, at := strings.Split(strings.Trim(path.Clean(p), "/"), "/"), "/"
	f := File{Real: "/", Mode: unix.S_IFDIR}
	if rest[0] == "" {
		return f, true
	}
	shutAbove := false
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		if h.stopped() || slices.Contains(h.closed, next) || OfProcess(next) {
			return File{}, false
		}
		var st unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, next, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_MODE, &st) != nil {
			return File{}, false
		}
		rest = rest[1:]
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			if st.Attributes&unix.STATX_ATTR_AUTOMOUNT != 0 && len(rest) > 0 {
				return File{}, false
			}
			at, f = next, File{Real: next, Mode: uint32(st.Mode), Kept: shutAbove || st.Mode&unix.S_IROTH == 0}
			shutAbove = shutAbove || st.Mode&unix.S_IXOTH == 0
			continue
		}
		if why := h.unfollowed(at, next); why != "" {
			return File{Real: next, Mode: uint32(st.Mode), Never: why}, len(rest) == 0 || h.Writes(at)
		}
		text, err := os.Readlink(next)
		if hops++; err != nil || hops > 40 {
			return File{}, false
		}
		if path.IsAbs(text) {
			at = "/"
		}
		if clean := strings.Trim(path.Clean(text), "/"); clean != "" && clean != "." {
			rest = append(strings.Split(clean, "/"), rest...)
		}
		if at == "/" && len(rest) == 0 {
			f = File{Real: "/", Mode: unix.S_IFDIR}
		}
	}
	return f, true
}

// unfollowed says why a link in a folder is not followed, or "". Those of /proc lead
// where no path does: to the folders and files of other processes, and of jail itself.
func (h *Looks) unfollowed(dir, link string) string {
	if pathname.Below(link, "/proc") {
		return KernelsOwn(link)
	}
	if h.Writes(dir) {
		return "a link in a folder that the box may write to leads out of the box: grant by name what it leads to"
	}
	return ""
}

// Writes says whether the box may write to what lies at a path.
func (h *Looks) Writes(dir string) bool {
	return slices.ContainsFunc(h.written, func(w string) bool { return pathname.Below(dir, w) })
}

// OfProcess says whether a path is that of a process in /proc: which there are is
// nobody's business in a box.
func OfProcess(p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && (first == "self" || first == "thread-self" || strings.Trim(first, "0123456789") == "")
}
