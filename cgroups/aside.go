package cgroups

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// supervisorLeaf is where Find moves its own process. Sweep does not know it
// by its name, and the group goes away with the delegated tree it is in.
const supervisorLeaf = "supervisor"

// stepAside moves this process and its children into a leaf below its own
// group, so that the group holds no process and may hand controllers down
// (cgroup-v2.rst, "No Internal Process Constraint"). Other processes are not
// ours to move. The children matter where jail has started the first process of
// a box already.
func (p *Parent) stepAside(d dir) error {
	refuse := func(err error) error {
		return &Error{Op: "find", Path: d.path, Missing: "a group without processes", Err: err, Remedy: remedyInternal}
	}
	ours, err := d.ours()
	if err != nil {
		return refuse(err)
	}
	if err := d.mkdir(supervisorLeaf); err != nil && !errors.Is(err, unix.EEXIST) {
		return refuse(err)
	}
	if err := d.move(ours, supervisorLeaf+"/cgroup.procs"); err != nil {
		return refuse(errors.Join(err, d.moveBack(ours)))
	}
	if err := d.handDown(); err != nil {
		return refuse(errors.Join(err, d.moveBack(ours)))
	}
	p.addNote(fmt.Sprintf("this process was moved from %s to %s/%s", d.path, path.Base(d.path), supervisorLeaf))
	return nil
}

func (d dir) moveBack(ours []string) error {
	if err := d.move(ours, "cgroup.procs"); err != nil {
		return err
	}
	return d.rmdir(supervisorLeaf)
}

// move writes processes into a group's file. One that has ended is moved.
func (d dir) move(pids []string, file string) error {
	for _, pid := range pids {
		if err := d.write(file, pid); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// ours are the processes in d, if all are this one and its children.
func (d dir) ours() ([]string, error) {
	procs, err := d.read("cgroup.procs")
	if err != nil {
		return nil, err
	}
	self := strconv.Itoa(os.Getpid())
	all := strings.Fields(procs)
	for _, pid := range all {
		if pid == self {
			continue
		}
		// A process that is in another PID namespace shows as 0.
		text, err := readAt(unix.AT_FDCWD, "/proc/"+pid+"/stat", 0)
		if pid != "0" && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH)) {
			continue // it has ended
		}
		if err != nil || parentIn(text) != self {
			return nil, fmt.Errorf("process %s is in it too: %w", pid, errors.Join(unix.EBUSY, err))
		}
	}
	return all, nil
}

// parentIn is the parent's process id in /proc/PID/stat (proc(5)): the second
// field behind the command's name, which may hold anything.
func parentIn(stat string) string {
	_, rest, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	if fields := strings.Fields(rest); len(fields) > 1 {
		return fields[1]
	}
	return ""
}
