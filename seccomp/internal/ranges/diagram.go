package ranges

// A diagram holds functions of struct seccomp_data as reduced ordered decision
// diagrams (Bryant, "Graph-Based Algorithms for Boolean Function Manipulation",
// 1986): every path asks for bits in the same order, no node has two equal
// branches, and no two nodes are equal. Hence two functions are equal exactly
// if they have the same ref.
type diagram struct {
	nodes  []node
	known  map[node]ref
	chosen map[[3]ref]ref
}

// A ref is a function: the index of its first node.
type ref int

// A node asks for one bit, or is a leaf and holds an action. A condition is a
// function whose actions are 0 and 1, under the names no and yes.
type node struct {
	bit       int // its index in the order of asking; leaf for none
	zero, one ref
	action    uint32
}

const (
	words = 16         // of 32 bits in struct seccomp_data
	leaf  = words * 32 // after all bits
	no    = ref(0)
	yes   = ref(1)
)

func newDiagram() *diagram {
	d := &diagram{known: make(map[node]ref), chosen: make(map[[3]ref]ref)}
	d.action(0)
	d.action(1)
	return d
}

// turn is the place of a word in the order of asking, and the word of a place:
// the order of struct seccomp_data, but for the architecture, which comes before
// the number because it says what the number means.
func turn(word int) int {
	if word < 2 {
		return 1 - word
	}
	return word
}

// asked is the word that n, which is no leaf, asks about, and the bit's value
// in it.
func (n node) asked() (word int, value uint32) {
	return turn(n.bit / 32), 1 << (31 - n.bit%32)
}

func (d *diagram) action(action uint32) ref {
	return d.intern(node{bit: leaf, action: action})
}

func (d *diagram) ask(bit int, zero, one ref) ref {
	if zero == one {
		return zero
	}
	return d.intern(node{bit: bit, zero: zero, one: one})
}

func (d *diagram) intern(n node) ref {
	r, ok := d.known[n]
	if !ok {
		r = ref(len(d.nodes))
		d.nodes = append(d.nodes, n)
		d.known[n] = r
	}
	return r
}

// choose is the function that is then where condition is yes, and otherwise
// where it is no.
func (d *diagram) choose(condition, then, otherwise ref) ref {
	switch {
	case condition == yes || then == otherwise:
		return then
	case condition == no:
		return otherwise
	}
	key := [3]ref{condition, then, otherwise}
	if r, ok := d.chosen[key]; ok {
		return r
	}
	bit := min(d.nodes[condition].bit, d.nodes[then].bit, d.nodes[otherwise].bit)
	var halves [2]ref
	for i := range halves {
		halves[i] = d.choose(d.half(condition, bit, i), d.half(then, bit, i), d.half(otherwise, bit, i))
	}
	r := d.ask(bit, halves[0], halves[1])
	d.chosen[key] = r
	return r
}

// half is f where bit, which lies not below f's first, is value.
func (d *diagram) half(f ref, bit, value int) ref {
	n := d.nodes[f]
	switch {
	case n.bit != bit:
		return f
	case value == 0:
		return n.zero
	}
	return n.one
}

// compare is the condition of a conditional jump on a word that was cut to
// mask. It is built from the lowest bit up: r is the answer where all bits
// above are as in k.
func (d *diagram) compare(code uint16, word int, mask, k uint32) ref {
	r := no
	if code == jumpEqual || code == jumpAtLeast {
		r = yes
	}
	const less = no
	greater := yes
	if code == jumpEqual {
		greater = no
	}
	for i := range 32 {
		bit, value := 32*turn(word)+31-i, uint32(1)<<i
		kept, set := mask&value != 0, k&value != 0
		switch {
		case code == jumpAnySet && kept && set:
			r = d.ask(bit, r, yes)
		case code == jumpAnySet:
			// A bit that is not looked at.
		case kept && set:
			r = d.ask(bit, less, r)
		case kept:
			r = d.ask(bit, r, greater)
		case set:
			r = less // what was cut off is zero
		}
	}
	return r
}
