package jail

import (
	"io"
	"testing"
)

// mostAllocations are those of the parts of a run that are ours alone, for a plain
// Spec. Each costs a cold start, and a first one of its size a page fault as well;
// what makes a number larger has to change it here, and say why.
var mostAllocations = map[string]float64{
	"validate": 20,
	"resolve":  80,
	"compile":  260,
	"encode":   0, // the plan's data has the room
	"receipt":  55,
	"record":   2,
}

func TestAllocations(t *testing.T) {
	leaveToFullTests(t) // a race detector allocates as well
	s := shell("true")
	res := runBox(t, s, IO{})
	s.Limits = s.Limits.WithDefaults()
	v, faults := resolve(s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p := testPlan(t, s, shape{tasks: 4})
	r := newRun(t.Context(), s)
	r.plan = p
	r.report.evidence = fakeEvidence("Uid:\t1000 1000 1000 1000\nCapEff:\t0\nSeccomp:\t2\n")
	for part, do := range map[string]func(){
		"validate": func() { s.Validate() },
		"resolve":  func() { resolve(s) },
		"compile":  func() { compile(s, root(), v, shape{tasks: 4}, nil) },
		"encode":   func() { p.encode() },
		"receipt":  func() { r.receipt() },
		"record":   func() { res.WriteJSON(io.Discard) },
	} {
		n := testing.AllocsPerRun(20, do)
		t.Logf("%s: %.0f", part, n)
		if most := mostAllocations[part]; n > most || n == 0 && most > 0 {
			t.Errorf("%s: %.0f allocations, want at most %.0f", part, n, most)
		}
	}
}
