package jail

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func words32(v ...uint32) []byte {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// fakeEvidence is what a box with this /proc/self/status would write.
func fakeEvidence(status string) []byte {
	b := make([]byte, evidenceSize)
	copy(b, words32(planMagic, reportEvidence))
	copy(b[8:], status)
	for i, ns := range evidenceNamespaces {
		copy(b[8+statusRoom+i*linkRoom:], ns+":[1]")
	}
	return b
}

func TestParseReport(t *testing.T) {
	p := &Plan{}
	p.lists[listTarget] = []Step{
		{Stage: StageSession, Operation: "setsid"},
		{Stage: StageLandlock, Layer: LayerLandlock, Operation: "landlock_restrict_self"},
	}
	failed := words32(planMagic, reportFailed, uint32(listTarget), 1, uint32(0xffffffff), 0) // -EPERM
	for _, c := range []struct {
		name   string
		in     []byte
		stage  Stage  // of the step that failed
		result int32  // of it
		err    string // part of the error
	}{
		{name: "nothing: PID 1 was killed", in: nil},
		{name: "evidence alone", in: fakeEvidence("")},
		{name: "a failed step", in: failed, stage: StageLandlock, result: -1},
		{name: "a failed step after the evidence", in: append(fakeEvidence(""), failed...), stage: StageLandlock, result: -1},
		{name: "the first of two failures counts", in: append(failed[:len(failed):len(failed)], words32(planMagic, reportFailed, uint32(listTarget), 0, 7, 0)...), stage: StageLandlock, result: -1},
		{name: "the clone before the list", in: words32(planMagic, reportFailed, uint32(listTarget), noStep, 0xfffffff5, 0), stage: StageExec, result: -11},
		{name: "a list that is none", in: words32(planMagic, reportFailed, 99, 0, 0, 0), stage: StageExec},
		{name: "a list below zero", in: words32(planMagic, reportFailed, 0xffffffff, 0, 0, 0), stage: StageExec},
		{name: "a step that is none", in: words32(planMagic, reportFailed, uint32(listTarget), 2, 0, 0), stage: StageExec},
		{name: "text", in: []byte("hello, supervisor"), err: "malformed report"},
		{name: "less than a header", in: words32(planMagic), err: "malformed report"},
		{name: "half a failure", in: failed[:reportSize-1], err: "short report"},
		{name: "half the evidence", in: fakeEvidence("")[:evidenceSize-1], err: "short evidence"},
		{name: "something after the evidence", in: append(fakeEvidence(""), 1), err: "malformed report"},
		{name: "a kind that is none", in: words32(planMagic, 9), err: "unknown report 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := p.parseReport(c.in)
			if got := errorText(err); !strings.Contains(got, c.err) || (c.err == "") != (err == nil) {
				t.Errorf("error %q, want %q in it", got, c.err)
			}
			var stage Stage
			if r.failed != nil {
				stage = r.failed.Stage
			}
			if stage != c.stage || r.result != c.result {
				t.Errorf("failed at %q with %d, want %q with %d", stage, r.result, c.stage, c.result)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A failure inside the box is an error that can be asked for its errno.
func TestStepFailure(t *testing.T) {
	s := Step{Stage: StageMounts, Layer: LayerRoot, Operation: "move_mount", Operand: "/usr"}
	if err := s.failure(-int32(unix.EPERM), &Plan{}); !errors.Is(err, unix.EPERM) || err.Error() != `jail: mounts: move_mount "/usr": operation not permitted` {
		t.Errorf("failure(-EPERM) = %v", err)
	}
	if err := s.failure(3, &Plan{}); !strings.Contains(err.Error(), "it answered 3") {
		t.Errorf("failure(3) = %v", err)
	}
}

func TestParseEvidence(t *testing.T) {
	e := parseEvidence(fakeEvidence("Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGroups:\t \nNoNewPrivs:\t1\nhalf a li"))
	for key, value := range map[string]string{"Name": "x", "Uid": "1000 1000 1000 1000", "Groups": "", "NoNewPrivs": "1", "half a li": "", "absent": ""} {
		if e.status.field(key) != value {
			t.Errorf("status[%q] = %q, want %q", key, e.status.field(key), value)
		}
	}
	for _, ns := range evidenceNamespaces {
		if e.namespaces[ns] != ns+":[1]" {
			t.Errorf("namespaces[%q] = %q", ns, e.namespaces[ns])
		}
	}
	if short := parseEvidence([]byte("short")); len(short.status) != 0 || len(short.namespaces) != 0 {
		t.Errorf("evidence from too few bytes: %v", short)
	}
}

func TestParseLast(t *testing.T) {
	last := func(status uint32, change func(tmp []byte)) []byte {
		b := make([]byte, lastSize)
		binary.LittleEndian.PutUint32(b, status)
		for i := range 2 {
			st := b[8+i*statfsSize:]
			for _, at := range []int{16, 32, 40, 48} { // blocks, bavail, files, ffree
				binary.LittleEndian.PutUint64(st[at:], 10)
			}
			change(st)
		}
		return b
	}
	none := func([]byte) {}
	for _, c := range []struct {
		name     string
		in       []byte
		ok, full bool
		exit     int
	}{
		{"exit 3, room left", last(3<<8, none), true, false, 3},
		{"no block left", last(0, func(st []byte) { clear(st[32:40]) }), true, true, 0},
		{"no inode left", last(0, func(st []byte) { clear(st[48:56]) }), true, true, 0},
		{"no tmpfs was looked at", last(0, func(st []byte) { clear(st[:statfsSize]) }), true, false, 0},
		{"nothing", nil, false, false, 0},
		{"a byte short", last(0, none)[1:], false, false, 0},
		{"a byte too many", append(last(0, none), 0), false, false, 0},
	} {
		l, ok := parseLast(c.in)
		if ok != c.ok || l.full != c.full || l.status.ExitStatus() != c.exit {
			t.Errorf("%s: parseLast = %+v, %v", c.name, l, ok)
		}
	}
}

// The report pipe is PID 1's, not the program's; that it is parsed without a
// panic whatever stands on it is the second line of defence.
func FuzzParseReport(f *testing.F) {
	p := &Plan{}
	p.lists[listBox] = make([]Step, 3)
	f.Add([]byte(nil))
	f.Add(words32(planMagic, reportFailed, 0, 2, 0xffffffff, 0))
	f.Add(append(fakeEvidence("Uid:\t0\n"), words32(planMagic, reportFailed, 0xffffffff, 0xffffffff, 0, 0)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := p.parseReport(b)
		if err != nil {
			return
		}
		if len(b) > 0 && r.failed == nil && r.evidence == nil {
			t.Errorf("%d bytes said nothing", len(b))
		}
		if r.failed != nil {
			r.failed.failure(r.result, p)
		}
		parseEvidence(r.evidence)
	})
}
