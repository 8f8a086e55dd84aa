package jail

import (
	"fmt"
	"strings"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// A limit of a group around the box's may refuse a program what its own limits have room
// for: a unit's, a pod's or a container's. The kernel says so of none, but that the box's
// own was not reached is in its counters. All this is asked only when something was
// refused.

// A limitAround is a limit that was reached and is not the box's, in words.
type limitAround struct{ what, groups, remedy string }

// pidsAround is the limit that forks were refused by, or nil: it was the box's own, as far
// as can be told (not before Linux 6.1).
func (r *run) pidsAround() *limitAround {
	peak := r.stats.PidsPeak
	if r.group == nil || peak == nil || *peak >= r.spec.Limits.Pids || r.stats.PidsDenied == nil || *r.stats.PidsDenied == 0 {
		return nil
	}
	full, all := r.group.PidsAround()
	return newLimitAround(full, all, "processes and threads", pidsFile)
}

const pidsFile = "pids.max"

// memoryAround is the limit of memory that processes were killed for, or nil: it was the
// box's own.
func (r *run) memoryAround() *limitAround {
	if r.group == nil || r.stats.OOMKills == nil || *r.stats.OOMKills == 0 {
		return nil
	}
	if own, err := r.group.MemoryFull(); own || err != nil {
		return nil
	}
	full, all := r.group.MemoryAround()
	file := "memory.max"
	if r.group.Version() == cgroups.V1 {
		file = "memory.limit_in_bytes"
	}
	l := newLimitAround(full, all, "bytes", file)
	if len(full) == 0 {
		l.groups, l.remedy = "the host, or a group around the box that can't be seen, had no more", "have less run beside it, or give the host, or what jail runs in, more memory"
	}
	return l
}

func newLimitAround(full []cgroups.Around, all bool, unit, file string) *limitAround {
	l := &limitAround{what: unit}
	var names []string
	for _, a := range full {
		names = append(names, fmt.Sprintf("the group %s may have %d %s in all", shellword.Shown(a.Path), a.Limit, unit))
	}
	if !all {
		names = append(names, "groups around it that can't be seen from here may have limits as well")
	}
	l.groups = strings.Join(names, ", and ")
	if len(names) == 0 {
		l.groups = "a group around the box's has it" // one that was changed meanwhile, or is gone
	}
	l.remedy = "raise the limit of that group (" + file + "; of systemd's units TasksMax= or MemoryMax=; of a container its engine's), or have less run in it"
	return l
}

// aroundHint is for a program that could not start a process and whose group counts no
// refusal by a limit further up, as version 2 does not from Linux 6.11 on: no count tells
// of that, and so the program's own words do.
func (r *run) aroundHint(said string) string {
	if r.group == nil || r.stats.PidsDenied == nil || *r.stats.PidsDenied > 0 || !forkFails(strings.ToLower(said)) {
		return ""
	}
	full, _ := r.group.PidsAround()
	if len(full) == 0 {
		return ""
	}
	l := newLimitAround(full, true, "processes and threads", pidsFile)
	return "a limit on processes around the box has been reached, and not its own: " + l.groups + ": " + l.remedy
}

// forksRefused is by what limit forks were refused, and what to do about it.
func (r *run) forksRefused() (limit, remedy string) {
	l := r.spec.Limits
	if a := r.pidsAround(); a != nil {
		return fmt.Sprintf("not by its own limit of %d processes and threads, of which it had %d at most: %s", l.Pids, *r.stats.PidsPeak, a.groups), a.remedy
	}
	return fmt.Sprintf("limit %d processes and threads", l.Pids), "raise --pids"
}
