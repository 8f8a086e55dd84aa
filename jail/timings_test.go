package jail

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTimings(t *testing.T) {
	s := shell("sleep 0.05")
	if res := runBox(t, s, IO{}); res.Timings != nil {
		t.Errorf("without asking: %v, want no timings", res.Timings)
	}
	s.Timings = true
	began := time.Now()
	res := runBox(t, s, IO{})
	took := time.Since(began).Microseconds()
	want(t, res, ReasonOK)
	wanted := map[string][]Stage{
		"supervisor": {StageValidate, StageResolve, StageProbe, StageClone, timedPlan, StageGrants, StageExec, timedProgram, timedEnd},
		"pid 1":      {StageGrants, StageIdentity, StageMounts, StagePivot, StageCgroup, StageCaps, StageLifeline},
		"program":    {StageSession, StageRlimits, StageLandlock, StageSeccomp, StageEvidence, StageExec},
	}
	for process, stages := range wanted {
		var seen []Stage
		end := int64(0)
		for _, tm := range res.Timings {
			if tm.Process != process {
				continue
			}
			seen = append(seen, tm.Stage)
			if tm.Stage == timedStart {
				t.Errorf("%+v: want none of a process that has done more than start", tm)
			}
			if tm.AtUS < end || tm.US < 0 || tm.AtUS+tm.US > took+1 {
				t.Errorf("%+v does not lie between the stage before it, which ended at %d µs, and the end at %d", tm, end, took)
			}
			end = tm.AtUS
		}
		for _, st := range stages {
			if !slices.Contains(seen, st) {
				t.Errorf("%s: stages %v, want %s among them", process, seen, st)
			}
		}
	}
	// From the box's own clock to the end: the supervisor may hear of the execve late.
	at := func(process string, stage Stage) int64 {
		i := slices.IndexFunc(res.Timings, func(tm Timing) bool { return tm.Process == process && tm.Stage == stage })
		return res.Timings[max(i, 0)].AtUS
	}
	if slept := at("supervisor", timedEnd) - at("program", StageExec); slept < 50_000 {
		t.Errorf("the program took %d µs, want at least the 50 ms that it slept", slept)
	}
}

// The stages of a box that was made ahead of need come before the run.
func TestTimingsOfReadyBox(t *testing.T) {
	s := shell("true")
	s.Timings = true
	p, err := NewPool(t.Context(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Run(t.Context(), Command{Args: s.Args, Env: s.Env}, IO{})
	if err != nil || !res.Warm {
		t.Fatalf("Run: %v, warm %v", err, res.Warm)
	}
	for _, tm := range res.Timings {
		before := tm.Stage != StageExec && tm.Stage != timedProgram && tm.Stage != timedEnd
		if before != (tm.AtUS < 0) {
			t.Errorf("%+v: want what was done ahead, and nothing else, before the run", tm)
		}
	}
}

func TestStopwatch(t *testing.T) {
	at := func(us int) time.Duration { return time.Second + time.Duration(us)*time.Microsecond }
	s := &stopwatch{began: at(0), startup: 700 * time.Microsecond, stages: []stageBegin{
		{"supervisor", StageValidate, at(1)}, {"pid 1", StageMounts, at(10)}, {"supervisor", StageExec, at(15)},
		{"program", StageSession, at(30)}, {"program", StageExec, at(40)}, {"supervisor", timedProgram, at(70)},
	}}
	got := s.timings()
	last := got[len(got)-1]
	if past := monotonic(unix.CLOCK_MONOTONIC) - at(70); last.US > past.Microseconds() {
		t.Errorf("%+v: want at most %v", last, past)
	}
	for i, want := range []Timing{
		{"supervisor", timedStart, -700, 700}, {"supervisor", StageValidate, 1, 14}, {"pid 1", StageMounts, 10, 20},
		{"supervisor", StageExec, 15, 55}, {"program", StageSession, 30, 10}, {"program", StageExec, 40, 30},
	} {
		if got[i] != want {
			t.Errorf("timing %d: %+v, want %+v", i, got[i], want)
		}
	}
}
