package ranges

import (
	"slices"

	"golang.org/x/sys/unix"
)

// A writer makes a program from its end to its start: jumps lead forward, so
// where one leads to is written before it. A position is an index in back, and
// that of the program's last instruction is 0.
type writer struct {
	*diagram
	back   []unix.SockFilter
	places map[ref]int // where a function begins
	stands map[int]int // the latest stand-in of a position that was too far away
}

// write is a program that computes f.
func (d *diagram) write(f ref) ([]byte, error) {
	w := writer{d, nil, make(map[ref]int), make(map[int]int)}
	if err := w.function(f); err != nil {
		return nil, err
	}
	slices.Reverse(w.back)
	return encode(w.back)
}

// function writes f, unless it is there already, in front of all that it leads
// to.
func (w *writer) function(f ref) error {
	if _, ok := w.places[f]; ok {
		return nil
	}
	if n := w.nodes[f]; n.bit == leaf {
		w.places[f] = w.put(unix.SockFilter{Code: returnAction, K: n.action})
		return nil
	}
	q, err := w.question(f)
	if err != nil {
		return err
	}
	for _, s := range q.spans {
		if err := w.function(s.exit); err != nil {
			return err
		}
	}
	if len(q.spans) == 2 && q.spans[0].last == 0 { // "none of the bits is set"
		w.branch(jumpAnySet, q.mask, w.places[q.spans[1].exit], w.places[q.spans[0].exit])
	} else {
		w.search(q.groups())
		if q.mask != ^uint32(0) {
			w.put(unix.SockFilter{Code: and, K: q.mask})
		}
	}
	w.places[f] = w.put(unix.SockFilter{Code: loadWord, K: uint32(4 * q.word)})
	return nil
}

// search writes a search for the accumulator's group and returns where it
// begins: at the last instruction that it wrote, or, for a group without points,
// at what follows from it.
func (w *writer) search(groups []group) int {
	if len(groups) == 1 {
		at := w.places[groups[0].exit]
		for _, point := range groups[0].points {
			at = w.branch(jumpEqual, point.first, w.places[point.exit], at)
		}
		return at
	}
	middle := len(groups) / 2
	high := w.search(groups[middle:])
	low := w.search(groups[:middle])
	return w.branch(jumpGreater, groups[middle-1].last, high, low)
}

func (w *writer) put(i unix.SockFilter) int {
	w.back = append(w.back, i)
	return len(w.back) - 1
}

// branch writes a conditional jump. Short jumps reach 255 instructions far.
func (w *writer) branch(code uint16, k uint32, then, otherwise int) int {
	then = w.near(then)
	otherwise = w.near(otherwise)
	here := len(w.back)
	return w.put(unix.SockFilter{Code: code, K: k, Jt: uint8(here - then - 1), Jf: uint8(here - otherwise - 1)})
}

// near is at, or a stand-in for it: a copy if it is a return, else a long jump.
// A short jump that is written next, or after one more instruction, reaches it.
func (w *writer) near(at int) int {
	stand := at
	if latest, ok := w.stands[at]; ok {
		stand = latest
	}
	if len(w.back)-stand <= 255 {
		return stand
	}
	i := w.back[at]
	if i.Code != returnAction {
		i = unix.SockFilter{Code: jump, K: uint32(len(w.back) - at - 1)}
	}
	w.stands[at] = w.put(i)
	return w.stands[at]
}
