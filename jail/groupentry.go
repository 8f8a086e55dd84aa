package jail

import (
	"github.com/seed-75010da9/jail/cgroups"
	"golang.org/x/sys/unix"
)

// unenterable is why no box of this run could be put into a group of version 1, or nil.
// There the kernel moves a process for its own user and for host root alone, whoever may
// write to the group's files (kernel/cgroup/cgroup-v1.c, __cgroup1_procs_write); and a box
// with ids of its own, made by root of a user namespace, is another user's than its
// supervisor, who is not the host's root.
func (r *run) unenterable() error {
	if r.parent.Version() != cgroups.V1 || !r.host.ownUID || r.host.hostUsers || mayBeHostRoot(r.host.uid) {
		return nil
	}
	return &cgroups.Error{Op: "write", Path: r.parent.Path(), Missing: "leave to move another user's process", Err: unix.EACCES, Version: cgroups.V1,
		Remedy: "on version 1 root of a user namespace can limit none of its boxes, which have ids of their own: start jail outside of the namespace, or as an ordinary user who has the group, or use a host with control groups of version 2"}
}
