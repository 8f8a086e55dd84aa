package jail

import (
	"slices"
	"sync"
	"syscall"

	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// seenPaths is what there is to tell. It has a lock because a goroutine that the
// kernel does not let go is left behind.
type seenPaths struct {
	mu       sync.Mutex
	uses     map[useKey]*pathUse
	order    []*pathUse
	moves    [][2]string // folders between which something was moved or linked
	moved    map[[2]string]bool
	filled   int64 // the most that one of the folders in memory held
	refused  map[refusalKey]*pathRefusal
	refusals []*pathRefusal
	bytes    int
	families []int // of sockets
	// addresses are those that the box has no way to, and how many calls were for others.
	addresses     []addressUse
	moreAddresses int64
	calls         []string // those that were allowed by name
	begun         bool     // a path has been read
	unread        int64    // calls whose path could not be read or looked up
	beyond        int64    // and those beyond what is told apart
}

// pathUse is what was done with one path.
type pathUse struct {
	asked string // absolute, in the box
	real  string // with links resolved; "" if nothing was ever there
	mode  uint32
	did   paths.Want // what was not refused
	count int64
}

// useKey tells a link that is meant itself from what it leads to.
type useKey struct {
	asked string
	link  bool
}

func isLink(mode uint32) bool { return mode&unix.S_IFMT == unix.S_IFLNK }

func newSeenPaths() seenPaths {
	return seenPaths{uses: map[useKey]*pathUse{}, moved: map[[2]string]bool{}, refused: map[refusalKey]*pathRefusal{}}
}

// pathRefusal is calls that want the same of a path and are refused the same way.
type pathRefusal struct {
	asked string
	real  string
	want  paths.Want
	errno syscall.Errno
	count int64

	landlock bool // it was the ruleset
	opens    bool // to write to it whether it is there or not, and not to read (open(2), O_CREAT)
}

type refusalKey struct {
	asked string
	want  paths.Want
	errno syscall.Errno
}

// mostPaths is how many are told apart, used ones and refused ones each. Of most of
// those that are not in the box it turns out in the end that they are not on the
// host either.
const mostPaths = 16 << 10

// mostPathBytes is how much text of theirs the supervisor keeps.
const mostPathBytes = 8 << 20

func (s *seenPaths) family(f int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.families, f) {
		s.families = append(s.families, f)
	}
}

func (s *seenPaths) call(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.calls, name) {
		s.calls = append(s.calls, name)
	}
}

// takes says whether there is room for one more of n entries, with these texts.
func (s *seenPaths) takes(n int, texts ...string) bool {
	more := 0
	for _, t := range texts {
		more += len(t)
	}
	if n >= mostPaths || s.bytes+more > mostPathBytes {
		s.beyond++
		return false
	}
	s.bytes += more
	return true
}

// begin forgets what could not be read before the first that could: on its way to
// the program PID 1's code is for nobody but root to read.
func (s *seenPaths) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begun, s.unread = true, 0
	}
}

func (s *seenPaths) failed() {
	s.mu.Lock()
	s.unread++
	s.mu.Unlock()
}

// again counts a path that is known to have what is wanted of it, and says where it
// leads: what the view shows of it is not going to change.
func (s *seenPaths) again(asked string, o paths.Operand) (real string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[useKey{asked, o.NoFollow}]
	if plain := s.uses[useKey{asked, false}]; u == nil && plain != nil && plain.real == asked { // it is no link
		u = plain
	}
	if u == nil || u.did&o.Want != o.Want || o.Anew && u.did&paths.Replace == 0 || o.Want&paths.Remove != 0 {
		return "", false
	}
	u.count++
	return u.real, true
}

func (s *seenPaths) note(use pathUse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := useKey{use.asked, isLink(use.mode)}
	if u := s.uses[key]; u != nil {
		u.did, u.count = u.did|use.did, u.count+1
		u.real = use.real
		if use.mode != 0 {
			u.mode = use.mode
		}
		return
	}
	if !s.takes(len(s.order), use.asked, use.real) {
		return
	}
	use.count = 1
	s.uses[key] = &use
	s.order = append(s.order, &use)
}

// move notes that something was moved, or linked, from one folder to another.
func (s *seenPaths) move(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := [2]string{from, to}
	if from == to || s.moved[pair] || !s.takes(len(s.moves), from, to) {
		return
	}
	s.moved[pair] = true
	s.moves = append(s.moves, pair)
}

// holds notes how much is in a folder in memory.
func (s *seenPaths) holds(bytes int64) {
	s.mu.Lock()
	s.filled = max(s.filled, bytes)
	s.mu.Unlock()
}

func (s *seenPaths) refuse(r pathRefusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := refusalKey{r.asked, r.want, r.errno}
	if known := s.refused[key]; known != nil {
		known.count++
		return
	}
	if !s.takes(len(s.refusals), r.asked, r.real) {
		return
	}
	r.count = 1
	s.refused[key] = &r
	s.refusals = append(s.refusals, &r)
}
