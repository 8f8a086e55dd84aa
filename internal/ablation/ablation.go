// Package ablation takes single walls of a box down, so that a test can show
// that an attack succeeds without the wall that is said to stop it. A test
// that cannot fail proves nothing.
//
// It is internal and travels in a context: no flag, profile, environment
// variable or Spec reaches it, and a test keeps cmd/jail from importing it.
package ablation

import (
	"context"
	"slices"
)

// A Wall is one thing that can be taken down.
type Wall string

const (
	Landlock    Wall = "landlock"
	Scope       Wall = "scope" // Landlock's of ABI 6 and later, in tier 2
	Seccomp     Wall = "seccomp"
	Caps        Wall = "capabilities"
	NoNewPrivs  Wall = "no_new_privs"
	Root        Wall = "root"         // the host's file tree instead of a new one
	ReadOnly    Wall = "read_only"    // read-only grants are mounted writable
	InPlace     Wall = "in_place"     // what is above a mount in a writable grant can be renamed
	NoSUID      Wall = "nosuid"       // set-user-ID bits count
	NoDev       Wall = "nodev"        // device nodes count
	ProcSubset  Wall = "proc_subset"  // all of /proc instead of the pids'
	PIDs        Wall = "pid"          // the host's pid namespace
	Net         Wall = "net"          // the host's net namespace
	IPC         Wall = "ipc"          // the host's ipc namespace
	UTS         Wall = "uts"          // the host's uts namespace
	Cgroup      Wall = "cgroup"       // no caps by cgroup
	OwnUID      Wall = "own_uid"      // host root's uid as the box's
	Keyring     Wall = "keyring"      // the caller's session keyring
	Undumpable  Wall = "undumpable"   // PID 1 may be read by its uid
	CloseFDs    Wall = "close_fds"    // an inherited descriptor is kept
	Session     Wall = "session"      // the caller's session and terminal
	Stdio       Wall = "stdio"        // the caller's stdin, stdout and stderr
	Rlimits     Wall = "rlimits"      // the caller's resource limits
	EmptyEnv    Wall = "empty_env"    // the caller's environment
	DeathSignal Wall = "death_signal" // no parent-death signal
	Lifeline    Wall = "lifeline"     // no lifeline pipe
	Watch       Wall = "watch"        // the supervisor ends nothing
	Observer    Wall = "observer"     // no listener: the filter refuses by itself
)

// Set is the walls that are down.
type Set []Wall

// Has says whether w is down.
func (s Set) Has(w Wall) bool { return slices.Contains(s, w) }

type key struct{}

// Without returns a context in which runs lack the given walls.
func Without(ctx context.Context, walls ...Wall) context.Context {
	return context.WithValue(ctx, key{}, Set(append(slices.Clone(Of(ctx)), walls...)))
}

// Of returns the walls that are down in ctx.
func Of(ctx context.Context) Set {
	s, _ := ctx.Value(key{}).(Set)
	return s
}
