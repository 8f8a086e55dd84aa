package seccomp

import "golang.org/x/sys/unix"

// Self is the filter that a program without a pid namespace of its own has
// besides its policy: calls that change a process which they name are for the
// caller itself alone, whom they name by 0. Its own number and those of its
// threads and children are refused as well, since no filter can tell whose a
// number is. utimensat is for files that are open: by path it would reach those
// that were not granted, for which Landlock has no right. Nor has it one for
// extended attributes: by path they can't be read, as on a file system that has
// none, which programs know to go on from.
//
// Signals are only among them where nothing else keeps them off others: then
// kill is for 0, the caller's whole process group. And times only where the
// program may own files that it was granted for reading: then it can set them to
// now, which touch(1) does, but to no others.
func Self(signals, times bool) Program { return self(native(), signals, times) }

// WithSelf is p and the filter of Self in one: what p allows that decides, and every
// other answer is p's, as of two filters that are attached one after the other. It
// is one program since the kernel lets one alone have a listener: heard says that p
// is Observed, and that the listener is to hear of what Self denies as well. It does
// not of attributes that can't be read by path: a listing asks for those of each
// file, and goes on.
func (p Program) WithSelf(signals, times, heard bool) (Program, error) {
	return p.withSelf(native(), signals, times, heard)
}

func (p Program) withSelf(m machine, signals, times, heard bool) (Program, error) {
	tail := self(m, signals, times)
	if heard {
		tail.replace(denied, notifying(uint32(unix.EPERM)))
	}
	return p.before(tail)
}

// attributeCalls read extended attributes by path. Those of Linux 6.13, by a folder
// and a path, are in no policy.
func attributeCalls() []string { return []string{"getxattr", "lgetxattr", "listxattr", "llistxattr"} }

func self(m machine, signals, times bool) Program {
	var p Program
	p = p.add(instruction{code: loadWord, k: offsetArch})
	p = p.add(instruction{code: jumpEqual, jt: 1, k: m.audit})
	p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW}) // the policy's to kill
	p = p.add(instruction{code: loadWord, k: offsetNr})
	utimensat := []int{word0(1), word1(1)} // a path: both words of a pointer count
	if times {
		utimensat = append(utimensat, word0(2), word1(2))
	}
	for _, c := range []struct {
		call string
		zero []int // what has to be 0
	}{
		{"kill", []int{word0(0)}},
		{"prlimit64", []int{word0(0)}}, {"sched_setscheduler", []int{word0(0)}}, {"sched_setparam", []int{word0(0)}},
		{"sched_setaffinity", []int{word0(0)}}, {"sched_setattr", []int{word0(0)}},
		{"setpriority", []int{word0(1)}}, {"ioprio_set", []int{word0(1)}}, {"utimensat", utimensat},
	} {
		if c.call == "kill" && !signals {
			continue
		}
		left := 2*len(c.zero) + 2
		p = p.add(instruction{code: jumpEqual, jf: uint8(left), k: m.number(c.call)})
		for _, offset := range c.zero {
			left -= 2
			p = p.add(instruction{code: loadWord, k: uint32(offset)})
			p = p.add(instruction{code: jumpEqual, jf: uint8(left - 1), k: 0})
		}
		p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
		p = p.add(instruction{code: returnAction, k: denied})
	}
	for _, c := range attributeCalls() {
		p = p.add(instruction{code: jumpEqual, jf: 1, k: m.number(c)})
		p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)})
	}
	return p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
}

// number is that of a call which every machine has.
func (m machine) number(call string) uint32 {
	nr, _ := m.calls.Number(call)
	return uint32(nr)
}

// word0 and word1 are where the low and the high word of an argument lie.
func word0(arg int) int { return offsetArgs + 8*arg }
func word1(arg int) int { return offsetArgs + 8*arg + 4 }
