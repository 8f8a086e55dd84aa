package jail

import "golang.org/x/sys/unix"

// namespacesOfItsOwn are the box's.
func (r *run) namespacesOfItsOwn() uintptr {
	if r.spec.inPlace() {
		return 0
	}
	return boxNamespaces(r.off)
}

// settle makes the private folder of a tier 2 box and its plan, which names that
// and who the box is: a second one in place of a first has another uid.
func (r *run) settle() error {
	if r.private == "" {
		if err := r.makePrivate(); err != nil {
			return err
		}
	}
	if err := r.givePrivate(); err != nil {
		return err
	}
	return r.compile()
}

// entrance is the file by which a process enters a group of version 2.
func (r *run) entrance() (int, error) {
	fd, err := unix.Openat(r.group.FD(), "cgroup.procs", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &SetupError{Stage: StageCgroup, Layer: LayerCgroup, Operation: "openat", Operand: "cgroup.procs", Err: err}
	}
	r.fds.add(fd)
	return fd, nil
}
