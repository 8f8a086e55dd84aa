package jail

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// A Timing is when one stage of a run began and how long it took. Stages of
// different processes run side by side: their times add up to more than the run
// took.
type Timing struct {
	// Process is "supervisor", "pid 1" or "program", which is the process that
	// becomes the program.
	Process string `json:"process"`
	// Stage is that of a [SetupError], or "start", the processor time that the
	// process of jail run had used before the run, and which no other process
	// has, "plan", "program", which is the program's whole run, or "end". For PID 1
	// "plan" is its wait for the rest of the plan; stages on both sides of that, such
	// as grants and mounts, come twice.
	Stage Stage `json:"stage"`
	// AtUS is when it began, in µs from the beginning of the run: before it, so
	// below 0, in a box that was made ahead of need.
	AtUS int64 `json:"at_us"`
	US   int64 `json:"us"`
}

// Stages that only the supervisor has, and that no refusal names: untyped, since
// they are none of the closed set.
const (
	timedStart   = "start"   // processor time that jail run had used before: its own start
	timedPlan    = "plan"    // the plan compiled and sealed
	timedProgram = "program" // the program runs
	timedEnd     = "end"     // the box ended, seen to be empty and given back
)

// A stopwatch notes when stages begin. It is nil where nobody asked.
type stopwatch struct {
	began   time.Duration // on CLOCK_MONOTONIC, as all of these
	startup time.Duration // processor time; 0 where it is more than that of a start
	stages  []stageBegin
}

type stageBegin struct {
	process string
	stage   Stage
	at      time.Duration
}

func newStopwatch(wanted bool) *stopwatch {
	if !wanted {
		return nil
	}
	s := &stopwatch{began: monotonic(unix.CLOCK_MONOTONIC)}
	if pid1.EarlyWaits() { // else this process, a server say, has done more than start
		s.startup = monotonic(unix.CLOCK_PROCESS_CPUTIME_ID)
	}
	return s
}

func monotonic(clock int32) time.Duration {
	var ts unix.Timespec
	unix.ClockGettime(clock, &ts)
	return time.Duration(ts.Nano())
}

// begin ends the supervisor's stage before.
func (s *stopwatch) begin(stage Stage) {
	if s != nil {
		s.stages = append(s.stages, stageBegin{"supervisor", stage, monotonic(unix.CLOCK_MONOTONIC)})
	}
}

// restart is for a box that was made before the run began.
func (s *stopwatch) restart() {
	if s != nil {
		s.began = monotonic(unix.CLOCK_MONOTONIC)
	}
}

// timings are all stages. The last of the box's ends when the program begins.
func (s *stopwatch) timings() []Timing {
	if s == nil {
		return nil
	}
	ends := map[string]time.Duration{"supervisor": monotonic(unix.CLOCK_MONOTONIC)}
	out := make([]Timing, len(s.stages), len(s.stages)+1)
	for i := len(s.stages) - 1; i >= 0; i-- {
		b := s.stages[i]
		if b.stage == timedProgram && b.process == "supervisor" {
			ends["program"] = b.at
		}
		out[i] = Timing{Process: b.process, Stage: b.stage, AtUS: (b.at - s.began).Microseconds()}
	}
	for i := len(out) - 1; i >= 0; i-- {
		b := s.stages[i]
		end, ok := ends[b.process]
		if !ok { // PID 1's last ends when the program's process begins
			end = ends["program"]
		}
		out[i].US = (end - b.at).Microseconds()
		ends[b.process] = b.at
	}
	if s.startup == 0 {
		return out
	}
	return append([]Timing{{Process: "supervisor", Stage: timedStart, AtUS: -s.startup.Microseconds(), US: s.startup.Microseconds()}}, out...)
}

// Of the stages in the box the plan takes the times itself: a stage begins with a
// clock_gettime(2), and the process that becomes the program reports them all,
// its own and those of PID 1, whose memory it has a copy of.

const (
	maxMarks    = 32
	timespec    = 16
	timingsSize = 8 + maxMarks*timespec
)

// A mark is where the beginning of a stage is noted.
type mark struct {
	list  list
	stage Stage
}

// mark notes the beginning of the stage that b is at.
func (b *builder) mark() {
	if !b.spec.Timings || b.list == listReaper || b.list == listFinal || len(b.marks) == maxMarks {
		return
	}
	if b.clock == 0 {
		head := make([]byte, timingsSize)
		binary.LittleEndian.PutUint32(head, planMagic)
		binary.LittleEndian.PutUint32(head[4:], reportTimings)
		b.clock = b.bytes(head)
	}
	b.call(unix.SYS_CLOCK_GETTIME, "clock_gettime", string(b.stage), num(unix.CLOCK_MONOTONIC, "CLOCK_MONOTONIC"), num(b.clock+8+uint64(len(b.marks))*timespec)).wants(0)
	b.marks = append(b.marks, mark{b.list, b.stage})
}

// reportMarks sends them, right before the program begins.
func (b *builder) reportMarks() {
	if b.clock != 0 {
		b.call(unix.SYS_WRITE, "write", "timings", num(fdReport), num(b.clock), num(timingsSize)).wants(timingsSize)
	}
}

// heard takes over what the box reported.
func (s *stopwatch) heard(p *Plan, report []byte) {
	if s == nil || len(report) < timingsSize {
		return // nothing was asked for, or the box did not get that far
	}
	for i, m := range p.marks {
		process := "pid 1"
		if m.list == listTarget {
			process = "program"
		}
		at := report[8+i*timespec:]
		sec, nsec := binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:])
		s.stages = append(s.stages, stageBegin{process, m.stage, time.Duration(sec)*time.Second + time.Duration(nsec)})
	}
	slices.SortStableFunc(s.stages, func(a, b stageBegin) int { return cmp.Compare(a.at, b.at) })
}
