package soak

import (
	"os"
	"syscall"
)

// An identity is who starts jail. Run by root a box is another user's and its
// supervisor's group is there to be written to; run by an ordinary user
// neither is so, and other code makes the box.
type identity struct {
	name       string
	credential *syscall.Credential
	flags      []string
}

// ordinary is a uid that nobody is likely to have.
const ordinary = 54321

// identities are the caller, and, where the caller is root, an ordinary user as
// well. That one has no cgroup to write to: it does without, by name.
func identities() []identity {
	list := []identity{{name: "caller"}}
	if os.Geteuid() == 0 {
		list = append(list, identity{
			name:       "ordinary user",
			credential: &syscall.Credential{Uid: ordinary, Gid: ordinary},
			flags:      []string{"--optional", "cgroup"},
		})
	}
	return list
}
