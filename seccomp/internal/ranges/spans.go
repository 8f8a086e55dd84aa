package ranges

import (
	"fmt"
	"math/bits"
)

// A question is what a program asks of one word: the bits that matter, and what
// follows from their values.
type question struct {
	word  int
	mask  uint32
	spans []span // in order, over all values of the word cut to mask
}

// A span is neighbouring values from which the same follows.
type span struct {
	first, last uint32
	exit        ref
}

// maxSpans bounds a question. The policy's longest has about a hundred; one with
// thousands, as "bit 0 is set, or it is more than 0x10000", is no matter of
// ranges.
const maxSpans = 2000

// question is the first that f, which is not an action alone, asks.
func (d *diagram) question(f ref) (question, error) {
	word, _ := d.nodes[f].asked()
	q := question{word: word, mask: d.support(f, word, make(map[ref]uint32))}
	d.walk(&q, f, q.mask, 0)
	if len(q.spans) > maxSpans {
		return question{}, fmt.Errorf("the word at %d: its values fall into more than %d ranges", 4*word, maxSpans)
	}
	return q, nil
}

// support is the bits of word that f depends on before it turns to others.
func (d *diagram) support(f ref, word int, seen map[ref]uint32) uint32 {
	if !d.asks(f, word) {
		return 0
	}
	if mask, ok := seen[f]; ok {
		return mask
	}
	_, mask := d.nodes[f].asked()
	mask |= d.support(d.nodes[f].zero, word, seen) | d.support(d.nodes[f].one, word, seen)
	seen[f] = mask
	return mask
}

// asks says whether f's first question is about word.
func (d *diagram) asks(f ref, word int) bool {
	if d.nodes[f].bit == leaf {
		return false
	}
	first, _ := d.nodes[f].asked()
	return first == word
}

// walk adds, in order, the spans of the values that are at outside of rest, the
// mask's lowest bits, which are still to be chosen.
func (d *diagram) walk(q *question, f ref, rest, at uint32) {
	if len(q.spans) > maxSpans {
		return
	}
	if !d.asks(f, q.word) {
		q.add(span{at, at | rest, f})
		return
	}
	zero, one := f, f
	bit := uint32(1) << (bits.Len32(rest) - 1)
	if _, asked := d.nodes[f].asked(); asked == bit {
		zero, one = d.nodes[f].zero, d.nodes[f].one
	}
	d.walk(q, zero, rest&^bit, at)
	d.walk(q, one, rest&^bit, at|bit)
}

func (q *question) add(s span) {
	if n := len(q.spans); n > 0 && q.spans[n-1].exit == s.exit {
		q.spans[n-1].last = s.last
		return
	}
	q.spans = append(q.spans, s)
}

// A group is neighbouring spans with one exit but for a few points, which are
// values with exits of their own.
type group struct {
	last   uint32
	exit   ref
	points []span
}

// maxPoints bounds the comparisons in a row. More make the program hardly
// shorter and its paths longer.
const maxPoints = 6

// groups joins spans where that saves a comparison: a single value between two
// spans with one exit takes one as a point, and two as a range.
func (q question) groups() []group {
	var groups []group
	for i := 0; i < len(q.spans); i++ {
		s := q.spans[i]
		if n := len(groups); n > 0 && s.first == s.last && i+1 < len(q.spans) {
			g, after := &groups[n-1], q.spans[i+1]
			if after.exit == g.exit && len(g.points) < maxPoints {
				g.points = append(g.points, s)
				g.last = after.last
				i++
				continue
			}
		}
		groups = append(groups, group{last: s.last, exit: s.exit})
	}
	return groups
}
