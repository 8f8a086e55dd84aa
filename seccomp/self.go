package seccomp

import "golang.org/x/sys/unix"

// Self is the filter that a program without a pid namespace of its own has
// besides its policy: calls that change a process which they name are for the
// caller itself alone, whom they name by 0. Its own number and those of its
// threads and children are refused as well, since no filter can tell whose a
// number is. utimensat is for files that are open: by path it would reach those
// that were not granted, for which Landlock has no right.
//
// Signals are only among them where nothing else keeps them off others: then
// kill is for 0, the caller's whole process group.
func Self(signals bool) Program { return self(native(), signals) }

func self(m machine, signals bool) Program {
	var p Program
	p = p.add(instruction{code: loadWord, k: offsetArch})
	p = p.add(instruction{code: jumpEqual, jt: 1, k: m.audit})
	p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW}) // the policy's to kill
	p = p.add(instruction{code: loadWord, k: offsetNr})
	for _, c := range []struct {
		call string
		arg  int
		high bool // the argument is a pointer: both words count
	}{
		{"kill", 0, false},
		{"prlimit64", 0, false}, {"sched_setscheduler", 0, false}, {"sched_setparam", 0, false}, {"sched_setaffinity", 0, false},
		{"sched_setattr", 0, false}, {"setpriority", 1, false}, {"ioprio_set", 1, false}, {"utimensat", 1, true},
	} {
		if c.call == "kill" && !signals {
			continue
		}
		nr, _ := m.calls.Number(c.call)
		body := 4
		if c.high {
			body = 6
		}
		p = p.add(instruction{code: jumpEqual, jf: uint8(body), k: uint32(nr)})
		if c.high {
			p = p.add(instruction{code: loadWord, k: uint32(offsetArgs + 8*c.arg + 4)})
			p = p.add(instruction{code: jumpEqual, jf: 2, k: 0})
		}
		p = p.add(instruction{code: loadWord, k: uint32(offsetArgs + 8*c.arg)})
		p = p.add(instruction{code: jumpEqual, jt: 1, k: 0})
		p = p.add(instruction{code: returnAction, k: denied})
		p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
	}
	return p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
}
