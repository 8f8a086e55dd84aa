package cgroups

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// InForce is the limits that the kernel itself reports for a group.
type InForce struct {
	Limits
	// Evidence is the files and what they hold, such as "pids.max=64; …".
	Evidence string
	// Note says what is unusual about the group or its parent, or "".
	Note string
}

// InForce reads the limits back. It is an error if any is weaker than what
// Create was asked for.
func (g *Group) InForce() (InForce, error) {
	r := reader{}
	f := InForce{Note: g.parent.note}
	if g.note != "" && f.Note != "" {
		f.Note += "; "
	}
	f.Note += g.note
	var quota, period int64
	if g.Version() == V2 {
		d := g.dirs[0]
		f.Memory = r.value(d, "memory.max")
		r.exactly(d, "memory.swap.max", 0, mayLack)
		r.exactly(d, "memory.oom.group", 1, mustHave)
		r.file(d, "cpu.max", func(text string) (err error) { quota, period, err = parseCPUMax(text); return err })
	} else {
		mem, cpu := g.dir("memory"), g.dir("cpu")
		f.Memory = r.value(mem, "memory.limit_in_bytes")
		r.exactly(mem, "memory.memsw.limit_in_bytes", f.Memory, mayLack)
		r.exactly(mem, socketLimit, f.Memory, mayLack)
		quota, period = r.value(cpu, "cpu.cfs_quota_us"), r.value(cpu, "cpu.cfs_period_us")
	}
	f.Pids = r.value(g.dir("pids"), "pids.max")
	if r.err != nil {
		return f, r.err
	}
	f.Evidence = r.evidence
	if period > 0 {
		f.CPUs = float64(quota) / float64(period)
	}
	return f, g.weaker(f, quota, period)
}

// weaker says which limit in force is not at least as strict as asked. A quota
// of -1 (version 1) is none at all.
func (g *Group) weaker(f InForce, quota, period int64) error {
	want := g.limits
	switch {
	case f.Memory <= 0 || f.Memory > want.Memory:
		return fmt.Errorf("cgroups: limits of %s: memory is %d in the kernel, want at most %d", g.name, f.Memory, want.Memory)
	case quota <= 0 || period != periodUS || quota > want.quotaUS():
		return fmt.Errorf("cgroups: limits of %s: cpu quota is %d of %d µs in the kernel, want at most %d of %d",
			g.name, quota, period, want.quotaUS(), int64(periodUS))
	case f.Pids <= 0 || f.Pids > want.Pids:
		return fmt.Errorf("cgroups: limits of %s: pids is %d in the kernel, want at most %d", g.name, f.Pids, want.Pids)
	}
	return nil
}

// A reader reads files, keeps what they held as evidence, and the first error.
type reader struct {
	evidence string
	err      error
}

func (r *reader) file(d dir, name string, parse func(string) error) {
	var held string
	err := d.parse(name, func(text string) error {
		if n := len(text); n > 0 && text[n-1] == '\n' {
			text = text[:n-1]
		}
		held = text
		return parse(text)
	})
	if err != nil {
		r.fail(err)
		return
	}
	if r.evidence != "" {
		r.evidence += "; "
	}
	r.evidence += name + "=" + held
}

func (r *reader) value(d dir, name string) (n int64) {
	r.file(d, name, func(text string) (err error) { n, err = parseValue(text); return err })
	return n
}

// need says whether a file may be absent. Those of swap may, and of sockets:
// Create has then seen to it in another way or not, and its note says so.
type need int

const (
	mustHave need = iota
	mayLack
)

func (r *reader) exactly(d dir, name string, want int64, needed need) {
	before := r.err
	if got := r.value(d, name); r.err == nil && got != want {
		r.fail(fmt.Errorf("cgroups: %s/%s is %d in the kernel, want %d", d.path, name, got, want))
	}
	if needed == mayLack && before == nil && errors.Is(r.err, unix.ENOENT) {
		r.err = nil
	}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
