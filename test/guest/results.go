package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// A result is what one boot showed.
type result struct {
	Host        string    `json:"host"`
	Role        string    `json:"role"`
	Commit      string    `json:"commit"`
	At          time.Time `json:"at"`
	Ended       time.Time `json:"ended"`
	TookMS      int64     `json:"took_ms"` // of all its boots
	Kernel      string    `json:"kernel"`
	Controllers string    `json:"controllers"` // of control groups of version 2
	BootMS      int64     `json:"boot_ms"`
	Jobs        []ended   `json:"jobs"`
	Fault       string    `json:"fault,omitempty"` // the guest did not get to its end
}

// An ended is how one job ended.
type ended struct {
	Name   string          `json:"name"`
	Exit   int             `json:"exit"`
	Late   bool            `json:"late,omitempty"` // it was ended at its limit
	TookMS int64           `json:"took_ms"`
	Passed int             `json:"passed,omitempty"`
	Failed []verdict       `json:"failed,omitempty"`
	Skips  []verdict       `json:"skips,omitempty"`
	Passes []verdict       `json:"passes,omitempty"` // of suites that make their own places
	JSON   json.RawMessage `json:"json,omitempty"`   // the line of JSON that it printed
	Output string          `json:"output,omitempty"`
	Wrong  string          `json:"wrong,omitempty"` // what is not as it must be on this host
	// NotRun is why it was not, though it was to be.
	NotRun string `json:"not_run,omitempty"`
	// Commit is that of an earlier run from which this is kept, if it is another.
	Commit string `json:"commit,omitempty"`
}

// A verdict is a test, and what it said.
type verdict struct {
	Test string `json:"test"`
	Said string `json:"said"`
}

// fine says that nothing failed.
func (e ended) fine() bool {
	if e.NotRun != "" {
		return true
	}
	if e.JSON != nil {
		return !e.Late && e.Wrong == ""
	}
	return e.Exit == 0 && !e.Late && e.Wrong == "" && len(e.Failed) == 0 && e.Passed > 0
}

func (r result) fine() bool {
	return r.Fault == "" && !slices.ContainsFunc(r.Jobs, func(e ended) bool { return !e.fine() })
}

// read makes sense of what a job printed, by the program test2json.
func read(test2json string, job order.Job, end order.End, output []byte) (ended, error) {
	e := ended{Name: job.Name, Exit: end.Exit, Late: end.Late, TookMS: end.TookMS}
	for line := range bytes.Lines(output) {
		if bytes.HasPrefix(line, []byte(`{"schema"`)) && json.Valid(line) {
			e.JSON = json.RawMessage(bytes.TrimSpace(line))
			return e, nil
		}
	}
	tests, err := parseTests(test2json, output)
	if err != nil {
		return e, err
	}
	e.Passed, e.Failed, e.Skips, e.Passes = len(tests.passes), tests.failed, tests.skips, tests.passes
	if !e.fine() {
		e.Output = string(output[max(0, len(output)-64<<10):])
	}
	return e, nil
}

// judge says what of a record or a report is not as it must be: a box runs, or is
// refused for a layer.
func judge(record json.RawMessage, refuses jail.LayerName) string {
	var r struct {
		OK      bool
		Refusal *jail.Refusal
		Box     *struct{ Refusal *jail.Refusal } // in a report
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return err.Error()
	}
	if r.Box != nil {
		r.Refusal = r.Box.Refusal
	}
	switch {
	case refuses == "" && !r.OK:
		return "it must run on this host"
	case refuses != "" && (r.Refusal == nil || r.Refusal.Layer != refuses):
		return fmt.Sprintf("it must be refused for the layer %s on this host", refuses)
	}
	return ""
}

// judgeProgram says what of a program's run is not as it must be on any kernel: with
// the profile that was learned it ends as it did watched, and whether it is traced or
// not makes no difference.
func judgeProgram(line json.RawMessage) string {
	var seen struct{ Missing, Differs, Enforced, Traced, Wrong string }
	if err := json.Unmarshal(line, &seen); err != nil {
		return err.Error()
	}
	switch {
	case seen.Missing != "":
		return seen.Missing
	case seen.Differs != "":
		return seen.Differs
	case seen.Enforced != seen.Traced:
		return fmt.Sprintf("enforced it is %s, and traced %s", seen.Enforced, seen.Traced)
	}
	return seen.Wrong
}

type tests struct {
	passes, failed, skips []verdict
}

// parseTests reads the output of a test binary that was run with -test.v. A test
// that holds others counts only where these are no answer to why it failed.
func parseTests(test2json string, output []byte) (tests, error) {
	cmd := exec.Command(test2json)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(output), &stderr
	events, err := cmd.Output()
	if err != nil {
		return tests{}, fmt.Errorf("test2json: %w: %s", err, stderr.Bytes())
	}
	var t tests
	said := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(events))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return tests{}, err
		}
		if e.Test == "" {
			continue
		}
		v := verdict{e.Test, strings.TrimSpace(said[e.Test])}
		switch e.Action {
		case "output":
			if !strings.HasPrefix(strings.TrimSpace(e.Output), "=== ") && !strings.HasPrefix(strings.TrimSpace(e.Output), "--- ") {
				said[e.Test] += e.Output
			}
		case "pass":
			t.passes = append(t.passes, v)
		case "skip":
			t.skips = append(t.skips, v)
		case "fail":
			if !slices.ContainsFunc(t.failed, func(f verdict) bool { return strings.HasPrefix(f.Test, e.Test+"/") }) {
				t.failed = append(t.failed, v)
			}
		}
	}
	return t, lines.Err()
}
