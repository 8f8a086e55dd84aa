package cgroups

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Kill ends every process in g, however little processor time g may use. It
// takes away what would keep processes from dying, the CPU quota, and then:
//
//   - version 2: writes cgroup.kill (kernel 5.14), which covers forks under way;
//   - version 1, and version 2 without that file: forbids forks (pids.max 0) and
//     sends SIGKILL to each process that cgroup.procs lists, until a look at it
//     shows nobody new.
//
// It does not wait: nil says that SIGKILL is pending for all that was seen, and
// Empty says when they are gone. Call it again while Empty says no: a call on a
// group that is empty, or dying, costs a few file operations. Many goroutines may
// call it at once. The group is good for nothing else afterwards: InForce no
// longer holds, and refused forks count in Stats.
//
// A process that this one's pid namespace does not show can't be killed by pid,
// and is left out without an error.
func (g *Group) Kill() error { return kill(g.Version(), g.dirs) }

// kill is Kill of the leaf with these folders, the first of which has its pids.
func kill(v Version, dirs []dir) error {
	var errs []error
	for _, d := range dirs {
		errs = append(errs, unthrottle(v, d))
	}
	d := dirs[0]
	if v == V2 {
		err := d.write("cgroup.kill", "1")
		if !errors.Is(err, unix.ENOENT) {
			return errors.Join(append(errs, err)...)
		}
	}
	errs = append(errs, optional(d.write("pids.max", "0")), killListed(d))
	return errors.Join(errs...)
}

// unthrottle lifts the CPU quota if d has one. A process that has used it up
// does not run, and one that does not run does not die.
func unthrottle(v Version, d dir) error {
	if v == V2 {
		return optional(d.write("cpu.max", "max"))
	}
	return optional(d.write("cpu.cfs_quota_us", "-1"))
}

// A killer goes through the processes of a group, killBatch at a time: it holds
// that many descriptors. killLooks bounds how often it looks at the group in one
// call, in case forks could not be forbidden.
const (
	killBatch = 64
	killLooks = 1 << 10
)

// killListed sends SIGKILL to each process in d. A pid that was read may be
// somebody else's by now, so each is first held by a descriptor, which stays with
// one process, and only who is in d after that is killed. That look also shows
// who comes next.
func killListed(d dir) error {
	listed, err := d.procs()
	if err != nil {
		return err
	}
	var errs []error
	done := make(map[int]bool)
	for looks := 1; looks < killLooks; looks++ {
		held, err := d.hold(listed, done)
		if err != nil {
			errs = append(errs, d.killError(err))
		}
		if len(held) == 0 {
			break
		}
		if listed, err = d.procs(); err != nil {
			errs = append(errs, err)
		} else if err := signal(held, listed); err != nil {
			errs = append(errs, d.killError(err))
		}
		for _, fd := range held {
			unix.Close(fd)
		}
	}
	return errors.Join(errs...)
}

// hold opens descriptors of the first few of pids that are not done, by pid, and
// marks them as done. When there are no more descriptors to be had, those it has
// are a batch too; one stays free for the next look at d.
func (d dir) hold(pids []int, done map[int]bool) (map[int]int, error) {
	spare, err := openat(d.fd, ".", dirFlags)
	if err != nil {
		return nil, err
	}
	defer unix.Close(spare)
	held := make(map[int]int, killBatch)
	for _, pid := range pids {
		if len(held) == killBatch {
			break
		}
		if done[pid] {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		switch {
		case err == nil:
			held[pid] = fd
			done[pid] = true
		case err == unix.ESRCH: // dead already
		case len(held) > 0:
			return held, nil
		default:
			return nil, fmt.Errorf("pidfd_open %d: %w", pid, err)
		}
	}
	return held, nil
}

// signal sends SIGKILL to those of the held processes that are listed.
func signal(held map[int]int, listed []int) error {
	var errs []error
	for _, pid := range listed {
		fd, ok := held[pid]
		if !ok {
			continue
		}
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH {
			errs = append(errs, fmt.Errorf("process %d: %w", pid, err))
		}
	}
	return errors.Join(errs...)
}

func (d dir) killError(err error) error {
	return &Error{Op: "kill", Path: d.path, Err: err}
}

// procs is the processes in d. Those of other pid namespaces, which version 2
// lists as 0, are left out.
func (d dir) procs() (pids []int, err error) {
	err = d.parse("cgroup.procs", func(text string) error {
		for _, field := range strings.Fields(text) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				return err
			}
			if pid > 0 {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids, err
}
