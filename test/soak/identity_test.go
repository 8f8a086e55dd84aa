package soak

import (
	"os"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/cgroups"
)

// An identity is who starts jail. Run by root the box's files and processes are
// another user's; run by an ordinary user they are the caller's own, and other
// code makes the box.
type identity struct {
	name       string
	credential *syscall.Credential
	flags      []string
}

// ordinary is a uid that nobody is likely to have.
const ordinary = 54321

// identities are the caller, and, where the caller is root, an ordinary user as
// well. Whoever has no cgroup to write to does without, by name.
func identities() []identity {
	without := []string{"--optional", "cgroup"}
	caller := identity{name: "caller"}
	if noGroups() != nil {
		caller.flags = without
	}
	if os.Geteuid() != 0 {
		return []identity{caller}
	}
	return []identity{caller, {name: "ordinary user", credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}, flags: without}}
}

// noGroups says why the caller can't make cgroups, without which there are no
// caps on memory and pids to be hit; nil where it can.
func noGroups() error {
	parent, err := cgroups.Find("")
	if err == nil {
		parent.Close()
	}
	return err
}

// needGroups skips a test that is about them.
func needGroups(t *testing.T) {
	t.Helper()
	if err := noGroups(); err != nil {
		t.Skipf("LEFT OUT, because there is no cgroup to put boxes into: %v", err)
	}
}
