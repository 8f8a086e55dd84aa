package jail

// The descriptors that PID 1 starts with. They stand at fixed numbers; those
// of the grants follow from fdFirst on, in the order of Plan.inherits.
const (
	fdStdin    = 0  // /dev/null until the program's process opens the box's own, or a pipe
	fdStdout   = 1  // pipe
	fdStderr   = 2  // pipe
	fdPlan     = 3  // sealed memfd
	fdStatus   = 4  // pipe: the program's end
	fdLifeline = 5  // pipe whose other end only the supervisor has
	fdReport   = 6  // pipe: failures and evidence, closed before the program runs
	fdTmp      = 7  // the box's /tmp, for PID 1 to see at the end whether it is full
	fdShm      = 8  // its /dev/shm, likewise
	fdSync     = 9  // pipe: a byte says that the id maps are written
	fdExe      = 10 // PID 1's own image
	fdFirst    = 11
)

// An inherit is one more descriptor for PID 1 and where it comes from.
type inherit struct {
	kind   inheritKind
	source *mount // inheritMount
	index  int    // inheritTasks: which of the group's files
	size   int64
}

type inheritKind int

const (
	inheritTasks   inheritKind = iota // a cgroup v1 tasks file
	inheritRuleset                    // the Landlock ruleset
	inheritMount                      // a detached mount
)

// inherit plans one more descriptor and returns its number.
func (p *Plan) inherit(i inherit) int {
	p.inherits = append(p.inherits, i)
	return fdFirst + len(p.inherits) - 1
}
