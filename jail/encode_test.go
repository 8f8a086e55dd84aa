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

// A rawList is where a list of steps stands.
type rawList struct {
	Steps uint64
	N, _  uint32
}

// decode reads a plan the way PID 1 does: by the addresses in its two parts.
func decode(t *testing.T, first, rest []byte) (steps [lists][]rawStep) {
	t.Helper()
	read := func(part []byte, at uint64, v any) {
		if at > uint64(len(part)) {
			t.Fatalf("address %#x lies behind the part's %d bytes", at, len(part))
		}
		if err := binary.Read(bytes.NewReader(part[at:]), binary.LittleEndian, v); err != nil {
			t.Fatalf("at %#x: %v", at, err)
		}
	}
	var head struct {
		Magic, Size uint32
		Report      int32
		_           uint32
		List        rawList
	}
	if read(first, 0, &head); head.Magic != planMagic || int(head.Size) != len(first) || head.Size > firstRoom || head.Report != fdReport {
		t.Fatalf("header %+v of a first part of %d bytes", head, len(first))
	}
	steps[listFirst] = make([]rawStep, head.List.N)
	read(first, head.List.Steps-planBase, steps[listFirst])
	var header struct {
		Magic, Size uint32
		List        [lists - 1]rawList
		Status      uint64
	}
	if read(rest, 0, &header); header.Magic != planMagic || int(header.Size) != len(rest) {
		t.Fatalf("header %+v of a rest of %d bytes", header, len(rest))
	}
	if at := header.Status - restBase; at+lastSize > uint64(len(rest)) {
		t.Fatalf("the status at %#x does not lie in the plan", at)
	}
	for l := listBox; l < lists; l++ {
		at := header.List[l-listBox]
		steps[l] = make([]rawStep, at.N)
		read(rest, at.Steps-restBase, steps[l])
	}
	return steps
}

// What PID 1 reads is what was planned, step by step, for a plan that has
// everything in it.
func TestEncodeRoundTrip(t *testing.T) {
	p := testPlan(t, everything(t), shape{stdin: true, tasks: 3})
	got := decode(t, p.first, p.encode())
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
	text := func(at uint64) []byte {
		if at >= restBase+uint64(headerSize) && at < restBase+uint64(len(p.data)) {
			return p.data[at-restBase:]
		}
		if at >= planBase+uint64(firstHeaderSize) && at < planBase+uint64(len(p.first)) {
			return p.first[at-planBase:]
		}
		return nil
	}
	inside := func(at uint64) bool { return text(at) != nil }
	for l := range lists {
		for _, s := range p.lists[l] {
			if s.out != 0 && (!inside(s.out) || s.out%4 != 0) {
				t.Errorf("%s: its result goes to %#x", s, s.out)
			}
			for _, a := range s.args {
				if l == listFirst && a.value >= restBase && a.value < restBase+uint64(len(p.data)) {
					t.Errorf("%s: what it uses at %#x is not there yet", s, a.value)
				}
				if a.cell && (!inside(a.value) || a.value%4 != 0) {
					t.Errorf("%s: cell %s is at %#x", s, a.text, a.value)
				}
				if !a.str {
					continue
				}
				if !inside(a.value) {
					t.Fatalf("%s: string at %#x", s, a.value)
				}
				if got := unix.ByteSliceToString(text(a.value)); got != a.text {
					t.Errorf("%s: the string at %#x is %q, want %q", s, a.value, got, a.text)
				}
			}
		}
	}
}
