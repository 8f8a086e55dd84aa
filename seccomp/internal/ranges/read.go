package ranges

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A reader turns a program into its function.
type reader struct {
	*diagram
	program []unix.SockFilter
	done    map[state]ref
}

// A state is all that a program's further course depends on, besides the input:
// the next instruction, and what the accumulator holds.
type state struct {
	at     int
	loaded bool
	word   int    // that was loaded
	mask   uint32 // to which it was cut
}

// read is the function that program computes.
func (d *diagram) read(program []byte) (ref, error) {
	instructions, err := decode(program)
	if err != nil {
		return 0, err
	}
	r := reader{d, instructions, make(map[state]ref)}
	return r.from(state{})
}

// from is what the program answers from s on. All jumps lead forward, so it
// ends.
func (r *reader) from(s state) (ref, error) {
	if f, ok := r.done[s]; ok {
		return f, nil
	}
	if s.at >= len(r.program) {
		return 0, fmt.Errorf("instruction %d: is after the end: want a return on every path", s.at)
	}
	f, err := r.step(s, r.program[s.at])
	if err != nil {
		return 0, err
	}
	r.done[s] = f
	return f, nil
}

func (r *reader) step(s state, i unix.SockFilter) (ref, error) {
	next := s
	next.at++
	switch i.Code {
	case returnAction:
		return r.action(i.K), nil
	case loadWord:
		if i.K%4 != 0 || i.K >= 4*words {
			return 0, fmt.Errorf("instruction %d: loads at %d: want a multiple of 4 below %d", s.at, i.K, 4*words)
		}
		next.loaded, next.word, next.mask = true, int(i.K/4), ^uint32(0)
		return r.from(next)
	case jump:
		if i.K > maxLen {
			return 0, fmt.Errorf("instruction %d: jumps over %d: the kernel takes %d", s.at, i.K, maxLen)
		}
		next.at += int(i.K)
		return r.from(next)
	}
	if !s.loaded {
		return 0, fmt.Errorf("instruction %d: uses the accumulator before a load", s.at)
	}
	switch i.Code {
	case and:
		next.mask &= i.K
		return r.from(next)
	case jumpEqual, jumpGreater, jumpAtLeast, jumpAnySet:
		return r.branch(next, i)
	}
	return 0, fmt.Errorf("instruction %d: code %#x: want a load of a word, AND, a jump or a return", s.at, i.Code)
}

func (r *reader) branch(next state, i unix.SockFilter) (ref, error) {
	then, otherwise := next, next
	then.at += int(i.Jt)
	otherwise.at += int(i.Jf)
	a, err := r.from(then)
	if err != nil {
		return 0, err
	}
	b, err := r.from(otherwise)
	if err != nil {
		return 0, err
	}
	return r.choose(r.compare(i.Code, next.word, next.mask, i.K), a, b), nil
}
