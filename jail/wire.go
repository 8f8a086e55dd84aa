package jail

import (
	"encoding/binary"
	"fmt"
)

// The private protocol between the supervisor and PID 1, whose other end is
// internal/pid1/init/init.c. Everything is little-endian, as both architectures are.

const (
	planBase  = 0x10000000 // where PID 1 keeps the plan's first part
	restBase  = planBase + firstRoom
	firstRoom = 64 << 10   // the most that it takes
	planMagic = 0x4c49414a // "JAIL"

	opSignals  = 0xf0000001 // every signal to its default, none blocked
	opLifeline = 0xf0000002 // a SIGIO makes PID 1 look at its lifeline
	opKeeper   = 0xf0000003 // PID 1 ends the program's tree before itself, and on SIGTERM
	opEmpty    = 0xf0000004 // PID 1 ends everybody else in its namespace and waits for them

	keepGroup = 1 // for opKeeper: the program's process group is what is killed

	wantAny = -1 << 31    // any result but an error is success
	wantAll = wantAny + 1 // any result at all

	noStep = 0xffffffff // a report about the clone before a list's first step

	reportFailed   = 1
	reportEvidence = 2
	reportTimings  = 3
	reportTried    = 4
)

// list is one of a plan's lists of steps, in the order in which they run; the
// reaper's and the target's run side by side.
type list int

const (
	listFirst list = iota
	listBox
	listReaper
	listTarget
	listFinal
	lists
)

var listNames = [lists]string{"first part", "box", "reaper", "target", "final"}

const (
	firstHeaderSize = 4*4 + 16
	headerSize      = 2*4 + int(lists-1)*16 + 8
	stepSize        = 4*4 + 6*8 + 8
	reportSize      = 6 * 4
)

// encode lays the plan out as PID 1 maps it: header, data, lists. Most plans fit into
// the room that the data has, so it writes there: always the same.
func (p *Plan) encode() []byte {
	le := binary.LittleEndian
	out := p.data
	for l := listBox; l < lists; l++ {
		at := headerSize - 8 - int(lists-l)*16
		out = p.append(l, out, at, restBase)
	}
	le.PutUint32(out, planMagic)
	le.PutUint32(out[4:], uint32(len(out)))
	le.PutUint64(out[headerSize-8:], p.last)
	return out
}

// encodeFirst is the plan's first part as PID 1 expects it in a message.
func (p *Plan) encodeFirst() []byte {
	le := binary.LittleEndian
	out := p.append(listFirst, p.data, firstHeaderSize-16, planBase)
	le.PutUint32(out, planMagic)
	le.PutUint32(out[4:], uint32(len(out)))
	le.PutUint32(out[8:], fdReport)
	return out
}

// append puts the steps of a list behind out, which is going to stand at base, and
// where they are to its place in the header.
func (p *Plan) append(l list, out []byte, at int, base uint64) []byte {
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	le := binary.LittleEndian
	le.PutUint64(out[at:], base+uint64(len(out)))
	le.PutUint32(out[at+8:], uint32(len(p.lists[l])))
	for i := range p.lists[l] {
		out = p.lists[l][i].append(out)
	}
	return out
}

func (s *Step) append(out []byte) []byte {
	le := binary.LittleEndian
	indirect := uint32(0)
	for i, a := range s.args {
		if a.cell {
			indirect |= 1 << i
		}
	}
	out = le.AppendUint32(out, s.nr)
	out = le.AppendUint32(out, indirect)
	out = le.AppendUint32(out, uint32(s.want))
	out = le.AppendUint32(out, 0)
	for i := range 6 {
		v := uint64(0)
		if i < len(s.args) {
			v = s.args[i].value
		}
		out = le.AppendUint64(out, v)
	}
	return le.AppendUint64(out, s.out)
}

// A report is what came out of the box before the program ran.
type report struct {
	failed   *Step // the step that failed, or nil
	result   int32 // what it returned
	evidence []byte
	timings  []byte
	tried    []byte // what came of a question's calls
}

// parseReport reads everything that was written to the report pipe. Nothing
// on it is the program's word: it is closed before the program starts.
func (p *Plan) parseReport(b []byte) (report, error) {
	le := binary.LittleEndian
	var r report
	for len(b) > 0 {
		if len(b) < 8 || le.Uint32(b) != planMagic {
			return r, fmt.Errorf("jail: malformed report from PID 1 (%d bytes)", len(b))
		}
		switch le.Uint32(b[4:]) {
		case reportFailed:
			if len(b) < reportSize {
				return r, fmt.Errorf("jail: short report from PID 1 (%d bytes)", len(b))
			}
			if r.failed == nil {
				r.failed = p.step(list(le.Uint32(b[8:])), le.Uint32(b[12:]))
				r.result = int32(le.Uint32(b[16:]))
			}
			b = b[reportSize:]
		case reportEvidence:
			if len(b) < evidenceSize {
				return r, fmt.Errorf("jail: short evidence from PID 1 (%d bytes)", len(b))
			}
			r.evidence = b[:evidenceSize]
			b = b[evidenceSize:]
		case reportTimings:
			if len(b) < timingsSize {
				return r, fmt.Errorf("jail: short timings from PID 1 (%d bytes)", len(b))
			}
			r.timings = b[:timingsSize]
			b = b[timingsSize:]
		case reportTried:
			if p.tried.size == 0 || uint64(len(b)) < p.tried.size {
				return r, fmt.Errorf("jail: short answer from PID 1 (%d bytes)", len(b))
			}
			r.tried = b[:p.tried.size]
			b = b[p.tried.size:]
		default:
			return r, fmt.Errorf("jail: unknown report %d from PID 1", le.Uint32(b[4:]))
		}
	}
	return r, nil
}

// step returns step i of list l, or a stand-in for what is not on a list.
func (p *Plan) step(l list, i uint32) *Step {
	if l >= 0 && l < lists && int64(i) < int64(len(p.lists[l])) {
		return &p.lists[l][i]
	}
	return &Step{Stage: StageExec, Operation: "clone", Operand: "the program's process"}
}
