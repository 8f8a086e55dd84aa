package jail

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// A rawStep is a step as PID 1 sees it.
type rawStep struct {
	NR, Indirect uint32
	Want         int32
	_            uint32
	Args         [6]uint64
	Out          uint64
}

// decode reads a plan the way PID 1 does: by the addresses in it.
func decode(t *testing.T, b []byte) (steps [lists][]rawStep) {
	t.Helper()
	var header struct {
		Magic, Size uint32
		Report      int32
		_           uint32
		List        [lists]struct {
			Steps uint64
			N, _  uint32
		}
		Status uint64
	}
	read := func(at uint64, v any) {
		if at > uint64(len(b)) {
			t.Fatalf("address %#x lies behind the plan's %d bytes", at, len(b))
		}
		if err := binary.Read(bytes.NewReader(b[at:]), binary.LittleEndian, v); err != nil {
			t.Fatalf("at %#x: %v", at, err)
		}
	}
	read(0, &header)
	if header.Magic != planMagic || int(header.Size) != len(b) || header.Report != fdReport {
		t.Fatalf("header %+v of a plan of %d bytes", header, len(b))
	}
	if at := header.Status - planBase; at+lastSize > uint64(len(b)) {
		t.Fatalf("the status at %#x does not lie in the plan", at)
	}
	for l := range lists {
		steps[l] = make([]rawStep, header.List[l].N)
		read(header.List[l].Steps-planBase, steps[l])
	}
	return steps
}

// What PID 1 reads is what was planned, step by step, for a plan that has
// everything in it.
func TestEncodeRoundTrip(t *testing.T) {
	p := testPlan(t, everything(t), shape{stdin: true, tasks: 3})
	b := p.encode()
	got := decode(t, b)
	for l := range lists {
		if len(got[l]) != len(p.lists[l]) {
			t.Fatalf("%d steps of the %s, want %d", len(got[l]), listNames[l], len(p.lists[l]))
		}
		for i, s := range p.lists[l] {
			raw := rawStep{NR: s.nr, Want: s.want, Out: s.out}
			for j, a := range s.args {
				raw.Args[j] = a.value
				if a.cell {
					raw.Indirect |= 1 << j
				}
			}
			if got[l][i] != raw {
				t.Errorf("step %d of the %s is %+v, want %+v", i, listNames[l], got[l][i], raw)
			}
		}
	}
}

// Every address in a plan lies in it, every cell is aligned, and every string
// is where it is said to be.
func TestAddressesLieInThePlan(t *testing.T) {
	p := testPlan(t, everything(t), shape{stdin: true, tasks: 3})
	end := uint64(planBase + len(p.data))
	inside := func(at uint64) bool { return at >= planBase+uint64(headerSize) && at < end }
	for l := range lists {
		for _, s := range p.lists[l] {
			if s.out != 0 && (!inside(s.out) || s.out%4 != 0) {
				t.Errorf("%s: its result goes to %#x", s, s.out)
			}
			for _, a := range s.args {
				if a.cell && (!inside(a.value) || a.value%4 != 0) {
					t.Errorf("%s: cell %s is at %#x", s, a.text, a.value)
				}
				if !a.str {
					continue
				}
				if !inside(a.value) {
					t.Fatalf("%s: string at %#x", s, a.value)
				}
				if got := unix.ByteSliceToString(p.data[a.value-planBase:]); got != a.text {
					t.Errorf("%s: the string at %#x is %q, want %q", s, a.value, got, a.text)
				}
			}
		}
	}
}
