package cgroups

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// An Around is a limit of a group around another one.
type Around struct {
	Path  string // its folder
	Limit int64  // what all that is in it may have
}

// PidsAround are the groups around g whose limit of processes and threads has been
// reached since they were made, the nearest first. On Linux before 6.1 that is not known:
// it is those that are full now. all says that there are no others: these may be where the
// root of the hierarchy, which alone has no limit, can't be seen, as in a container.
func (g *Group) PidsAround() (full []Around, all bool) {
	return around(g.dir("pids").path, "pids.max", func(folder string, limit int64) bool {
		most, err := readCount(folder+"/pids.peak", "")
		if errors.Is(err, unix.ENOENT) {
			most, err = readCount(folder+"/pids.current", "")
		}
		return err == nil && most >= limit
	})
}

// MemoryAround is PidsAround of limits of memory that processes were killed for.
func (g *Group) MemoryAround() (full []Around, all bool) {
	if g.Version() == V1 {
		return around(g.dir("memory").path, "memory.limit_in_bytes", func(folder string, _ int64) bool {
			n, err := readCount(folder+"/memory.failcnt", "")
			return err == nil && n > 0
		})
	}
	return around(g.dirs[0].path, "memory.max", func(folder string, _ int64) bool {
		n, err := readCount(folder+"/memory.events.local", "oom") // Linux 5.2
		return err == nil && n > 0
	})
}

// MemoryFull says whether g itself has come to its limit of memory. Where it has not, and
// processes in it were killed for want of memory, that was for want of somebody else's: of
// a group around it, or of the host's.
func (g *Group) MemoryFull() (bool, error) {
	if g.Version() == V2 {
		var n *int64
		err := g.dirs[0].parse("memory.events", count(&n, "oom"))
		return err == nil && *n > 0, err
	}
	// The kernel does not count failures at the limit with swap, which is the same (seen on
	// Linux 6.18), so what counts is how near it came: a charge is a few pages.
	const aCharge = 128 << 10
	for _, file := range []string{"memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes"} {
		var most *int64
		if err := optional(g.dir("memory").parse(file, count(&most, ""))); err != nil {
			return false, err
		}
		if most != nil && *most >= g.limits.Memory-aCharge {
			return true, nil
		}
	}
	return false, nil
}

// around are the groups that lie around the one with a folder, have a limit and were full.
// The outermost folder that a hierarchy shows is its root, or there may be more around it.
func around(folder, file string, full func(folder string, limit int64) bool) (list []Around, all bool) {
	for at := path.Dir(folder); at != "/" && at != "."; at = path.Dir(at) {
		limit, err := readCount(at+"/"+file, "")
		if errors.Is(err, unix.ENOENT) && unix.Access(at+"/cgroup.procs", unix.F_OK) != nil {
			break // the folder around the mount
		}
		// Version 1 has a limit of memory in its root as well, which holds nobody.
		all = errors.Is(err, unix.ENOENT) || err == nil && unix.Access(at+"/release_agent", unix.F_OK) == nil
		if err == nil && limit < practicallyNone && full(at, limit) {
			list = append(list, Around{at, limit})
		}
	}
	return list, all
}

// practicallyNone is less than what version 1 has for a group without a limit of memory,
// which is a number of pages.
const practicallyNone = unlimited / 2

func readCount(file, key string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return number(string(text), key)
}
