package jail

import (
	"encoding/binary"
)

// A Plan is everything that is done to make a box, decided before any process
// exists. [Explain] shows it; a run carries out the same one.
type Plan struct {
	spec     Spec
	host     host
	shape    shape
	view     view
	inherits []inherit
	batches  []uint64 // control messages in which they arrive
	lists    [lists][]Step
	first    []byte // the first part, whole
	base     uint64 // where data is going to stand
	data     []byte // starts with room for the header
	proof    uint64 // where the evidence is gathered
	last     uint64 // where PID 1 gathers its last words
	clock    uint64 // where the times go at which stages begin, if they are wanted
	marks    []mark // which stages these are
	handled  handled
	filter   filter
	tried    answerRoom // what a question's calls come to, if there is one
}

// A Step is one system call that PID 1 makes.
type Step struct {
	Stage     Stage
	Layer     LayerName // what is not enforced if it fails
	Operation string    // the system call
	Operand   string    // what it is about, for people

	nr   uint32
	args []arg
	want int32
	out  uint64
}

// An arg is one argument of a step: a value, or the address of a cell that
// holds it.
type arg struct {
	value uint64
	text  string // how to show it, if the number alone says nothing
	cell  bool
	str   bool // text is the string that value points to
}

// num is a plain number as an argument; text, if not empty, is its name.
func num[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr](v T, text ...string) arg {
	a := arg{value: uint64(v)}
	if len(text) > 0 {
		a.text = text[0]
	}
	return a
}

// A cell is a place in the plan's data for the result of a step, such as a
// descriptor that a later step needs.
type cell struct {
	addr uint64
	name string
}

func (c cell) arg() arg { return arg{value: c.addr, cell: true, text: c.name} }

// A builder appends steps to a plan. stage and layer are those of the steps
// being added.
type builder struct {
	*Plan
	args  []arg
	list  list
	stage Stage
	old   cell // the host's root
	root  cell // the box's
	layer LayerName
}

// at starts a new part of the plan.
func (b *builder) at(l list, s Stage, layer LayerName) {
	b.list, b.stage, b.layer = l, s, layer
	b.mark()
}

// call adds a system call; its result is success if it is no error.
func (b *builder) call(nr uint32, name, operand string, args ...arg) *Step {
	// All arguments in one array: a plan has hundreds of steps, and start-up
	// pays for every allocation.
	from := len(b.args)
	b.args = append(b.args, args...)
	steps := &b.lists[b.list]
	*steps = append(*steps, Step{
		Stage: b.stage, Layer: b.layer, Operation: name, Operand: operand,
		nr: nr, args: b.args[from:len(b.args):len(b.args)], want: wantAny,
	})
	return &(*steps)[len(*steps)-1]
}

// keep stores the step's result in c.
func (s *Step) keep(c cell) { s.out = c.addr }

// wants makes exactly v the step's success: 0, a count, or -errno.
func (s *Step) wants(v int32) { s.want = v }

// bytes puts v into the plan's data, aligned for any type, and returns its
// address.
func (p *Plan) bytes(v []byte) uint64 {
	for len(p.data)%8 != 0 {
		p.data = append(p.data, 0)
	}
	at := p.base + uint64(len(p.data))
	p.data = append(p.data, v...)
	return at
}

// room reserves n zero bytes.
func (p *Plan) room(n int) uint64 { return p.bytes(make([]byte, n)) }

// str puts s into the plan's data with its closing NUL.
func (p *Plan) str(s string) arg {
	at := p.base + uint64(len(p.data))
	p.data = append(p.data, s...)
	p.data = append(p.data, 0)
	return arg{value: at, text: s, str: true}
}

// words puts 64-bit values into the plan's data.
func (p *Plan) words(v ...uint64) uint64 {
	b := make([]byte, 0, len(v)*8)
	for _, w := range v {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return p.bytes(b)
}

// cell reserves a cell; name is for people.
func (p *Plan) cell(name string) cell { return cell{p.room(4), name} }

func (p *Plan) len() int {
	n := 0
	for _, l := range p.lists {
		n += len(l)
	}
	return n
}
