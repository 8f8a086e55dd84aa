package cgroups

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel takes a process out of its groups a moment after its parent has
// heard of its end, so a group may answer EBUSY for that moment.
const (
	removeWait = 200 * time.Millisecond
	removeStep = 50 * time.Microsecond
)

// Remove removes g from every hierarchy, and so proves that it is empty: the
// kernel refuses to remove a group with a process in it. It waits up to 200 ms
// for that. After an error g is as before and Remove may be called again; after
// success it does nothing.
func (g *Group) Remove() error {
	deadline := time.Now().Add(removeWait)
	// The first folder last: while it exists, Sweep can find the others.
	for i := len(g.dirs) - 1; i >= 0; i-- {
		if err := rmdirUntil(g.parent.dirs[i], g.name, deadline); err != nil {
			return err
		}
		g.dirs[i].close()
		g.dirs = g.dirs[:i]
	}
	for _, fd := range g.tasks {
		unix.Close(fd)
	}
	g.tasks = nil
	return nil
}

// rmdirUntil removes a group that may be about to become empty. One that is
// not there is fine.
func rmdirUntil(above dir, name string, deadline time.Time) error {
	for step := removeStep; ; step *= 2 {
		err := above.rmdir(name)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		left := time.Until(deadline)
		if !errors.Is(err, unix.EBUSY) || left <= 0 {
			return err
		}
		time.Sleep(min(step, left))
	}
}
