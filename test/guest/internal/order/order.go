// Package order is what the host says to a guest, and what the guest answers.
//
// The order travels in the guest's initial file system, as [File]. The answer
// is a stream of [Event] as lines of JSON over the guest's only port.
package order

import "time"

// File is where an order lies in the guest's initial file system.
const File = "/order.json"

// Work is where the guest has the host's folder Order.Work, for everybody to
// read, whatever the folders above it on the host allow.
const Work = "/guest"

// UserID is uid and gid of the ordinary user.
const UserID = 1000

// A Layout is how control groups are mounted in a guest.
type Layout string

const (
	V2     Layout = "v2"     // one hierarchy of version 2, as systemd has it today
	Hybrid Layout = "hybrid" // the controllers in version 1, and an empty version 2
	V1     Layout = "v1"     // version 1 alone
	None   Layout = "none"   // none at all

	// Undelegated is version 2, of which the ordinary user was given nothing.
	Undelegated Layout = "undelegated"
)

// An Order is one boot's work.
type Order struct {
	Layout Layout
	User   bool   // the jobs are the ordinary user's, in a delegated group
	Work   string // a folder of the host's
	// Given is the group that root has to make for the user, with the commands that
	// `jail doctor --fix-hints` prints to that user, or "".
	Given string
	Jobs  []Job
}

// A Job is one program to run to its end.
type Job struct {
	Name  string
	Args  []string
	Env   []string
	Dir   string
	Limit time.Duration // of wall time
	// Alone runs the job in a group of its own, instead of the one that is
	// shared by all that the guest was ordered to do.
	Alone bool
}

// An Event is one thing that happened in the guest. Exactly one of its pointers
// is set, or Output with the Job it belongs to.
type Event struct {
	Ready  *Ready `json:",omitempty"`
	Job    int    `json:",omitempty"` // index into Order.Jobs
	Output []byte `json:",omitempty"` // stdout and stderr as they come
	End    *End   `json:",omitempty"`
	Fault  string `json:",omitempty"` // the guest itself failed
	Done   bool   `json:",omitempty"` // all jobs have ended
}

// Ready says that the guest is up.
type Ready struct {
	Kernel string // uname -r
	Groups string // the controllers at the root of version 2
}

// An End is how a job ended.
type End struct {
	Exit   int // its status, or 128 and the signal
	Late   bool
	TookMS int64
}
