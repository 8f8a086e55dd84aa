package withheld

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// mostSteering is how many files and folders are told of: each is a mount for whoever has
// them held back.
const mostSteering = 64

// They are looked for so long, and among so many files, what lies deep last.
const (
	steeringTakes = 2 * time.Second
	steeringAmong = 4 * mostOfTree
)

// Steering are the files and folders below one of the host's by which programs of the
// caller's are told what to do, outside of any box, at whatever depth: settings of editors
// and shells, packages, virtual environments, and of a git repository its hooks and its
// settings alone, since the rest is written by whoever commits (githooks(5),
// git-config(1)). What is not there is not among them. unseen says why there may be more,
// or is "": there is too much to look at, or a link is in the place of one. Not whole says
// that it was not looked at to its end, so that there may be anything.
func (h *Looks) Steering(dir string) (list []string, unseen string, whole bool) {
	dir = path.Clean(dir)
	s := &steers{h: h, dir: dir, whole: true}
	inTime := h.Bounded(func() { s.among(steeringAmong) })
	s.mu.Lock()
	defer s.mu.Unlock()
	list, unseen, whole = slices.Sorted(slices.Values(s.list)), s.unseen, s.whole
	if !inTime { // what was found is still told
		unseen, whole = "looking at it took too long", false
	}
	return list, unseen, whole
}

// steers gathers what steers programs below a folder.
type steers struct {
	h      *Looks
	dir    string
	mu     sync.Mutex // for who does not wait for the look's end; it writes alone
	list   []string
	unseen string
	whole  bool
}

// among looks at so many files, and at the folder's own repository first: nothing that others
// made in it is to take the time, or the room, for that.
func (s *steers) among(files int) {
	s.judge(path.Join(s.dir, ".git"), 0)
	for dir := s.dir; ; dir = path.Dir(dir) { // the repository that it lies in may name what lies here
		if _, ok := s.h.look(path.Join(dir, ".git")); ok {
			c := &gitConfigs{h: s.h, tree: dir, hooksAlone: true}
			c.readAll()
			s.named(c)
		}
		if dir == "/" {
			break
		}
	}
	l := treeLook{h: s.h, judge: s.judge, until: time.Now().Add(steeringTakes), left: files, waiting: []string{s.dir}, pass: s.taken}
	_, unseen := l.all()
	s.mu.Lock()
	defer s.mu.Unlock()
	if unseen != "" {
		s.unseen = unseen
	}
	s.whole = l.left > 0
}

// miss says why there may be more.
func (s *steers) miss(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unseen = why
}

// taken says whether a folder is on the list, with all that lies in it.
func (s *steers) taken(at string) bool { return slices.Contains(s.list, at) }

func (s *steers) judge(at string, _ fs.FileMode) string {
	in, name := path.Dir(at), path.Base(at)
	there := func(name string) bool { _, ok := s.h.look(path.Join(in, name)); return ok }
	switch {
	case name == "HEAD" && there("objects") && there("refs"):
		s.repository(in)
	case name == "pyvenv.cfg":
		s.take(in)
	case name == ".git":
		var st unix.Stat_t
		if unix.Lstat(at, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR { // whose folder is elsewhere
			s.take(at)
			break
		}
		s.repository(at) // whole or not: what it lacks may be made
	case slices.Contains(steering, name):
		s.take(at)
	}
	if len(s.list) > mostSteering {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list, s.unseen = s.list[:mostSteering], "there is more than can be told of"
		return s.unseen
	}
	return ""
}

// repository takes what git runs of a repository, and what says so, as commondir does of
// whose settings count (gitrepository-layout(5)).
func (s *steers) repository(at string) {
	for _, name := range []string{"hooks", "config", "config.worktree", "commondir"} {
		s.take(path.Join(at, name))
	}
	s.worktrees(path.Join(at, "worktrees"))
	c := gitConfigs{h: s.h, tree: at, hooksAlone: true}
	if path.Base(at) == ".git" {
		c.tree = path.Dir(at)
	}
	c.read(path.Join(at, "config"))
	c.read(path.Join(at, "config.worktree"))
	for _, home := range s.h.homes {
		c.read(path.Join(home, ".gitconfig"))
		c.read(path.Join(home, ".config/git/config"))
	}
	s.named(&c)
}

// named takes what settings name for hooks, and the files with more settings.
func (s *steers) named(c *gitConfigs) {
	for _, p := range slices.Concat(c.hooks, c.files) {
		if pathname.Below(p, s.dir) {
			s.take(p)
		}
	}
	if c.unseen != "" {
		s.miss("what git runs could not be looked at: " + shellword.Shown(c.unseen) + " is too long, or can't be read")
	}
}

// worktrees takes what says of a repository's other work trees whose settings count there.
func (s *steers) worktrees(at string) {
	d, err := os.Open(at)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(mostSteering + 1)
	if len(names) > mostSteering {
		s.miss("there are more work trees than can be told of")
	}
	for _, name := range names {
		s.take(path.Join(at, name, "commondir"))
		s.take(path.Join(at, name, "config.worktree"))
	}
}

// take adds one that is there, and lies in no other.
func (s *steers) take(at string) {
	var st unix.Stat_t
	if unix.Lstat(at, &st) != nil || slices.ContainsFunc(s.list, func(in string) bool { return pathname.Below(at, in) }) {
		return
	}
	switch f, ok := s.h.look(at); {
	case at == s.dir:
		s.miss(shellword.Shown(at) + " is one itself")
	case !ok || f.Real != at || st.Mode&unix.S_IFMT == unix.S_IFLNK:
		s.miss(shellword.Shown(at) + " is a link, or lies behind one")
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, at)
	}
}
