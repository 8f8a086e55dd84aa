package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// seen is what came of one program, as it is handed on by a guest and compared with
// this machine's.
type seen struct {
	Schema   string   `json:"schema"` // first, as test/guest finds it by that
	Program  string   `json:"program"`
	Missing  string   `json:"missing,omitempty"` // why there is nothing else
	Bare     string   `json:"bare"`
	Refused  []string `json:"refused"`
	Watched  string   `json:"watched"`
	Learned  []string `json:"learned"` // what the profile grants
	Enforced string   `json:"enforced"`
	Traced   string   `json:"traced"`
	Differs  string   `json:"differs"`          // what --check said, if it found a difference
	Wrong    string   `json:"wrong,omitempty"`  // what is not as it must be
	Commit   string   `json:"commit,omitempty"` // that it is of, if that is not the guest's
}

// seenSchema is what this form is called.
const seenSchema = "programs"

func (r row) seen() seen {
	s := seen{Schema: seenSchema, Program: r.name, Missing: r.missing, Wrong: r.wrong()}
	if r.missing != "" {
		return s
	}
	s.Bare, s.Watched, s.Learned = verdict(r.bare), r.ended, granted(r.learned)
	s.Enforced, s.Traced = verdict(r.heard), verdict(r.traced)
	for _, what := range denials(r.bare, mostRefused) {
		s.Refused = append(s.Refused, renamed(what))
	}
	if !r.same {
		s.Differs = renamed(r.check)
	}
	return s
}

// mostRefused bounds what is told of what a program is refused.
const mostRefused = 4

// granted is what a profile grants, a line for each, without the limits: these are
// peaks, which no two runs have in common.
func granted(profile string) (lines []string) {
	section, list := "", ""
	for line := range strings.Lines(renamed(profile)) {
		code, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		switch {
		case code == "" || strings.HasPrefix(code, "#"):
		case strings.HasPrefix(code, "["):
			section = strings.Trim(code, "[]")
		case list != "" && code == "]":
			list = ""
		case list != "":
			lines = append(lines, list+" "+strings.Trim(code, `",`))
		case strings.HasSuffix(code, "= ["):
			list = strings.TrimSuffix(code, " = [")
		case section != "" && section != "limits":
			lines = append(lines, code)
		}
	}
	return lines
}

// A guest is what was seen on one kernel.
type guest struct {
	Host   string    `json:"host"`
	Kernel string    `json:"kernel"`
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
	Seen   []seen    `json:"seen"`
}

// guestsFile keeps what guests saw, as they take an hour and this machine minutes.
const guestsFile = "test/programs/testdata/guests.json"

// take keeps the rows of programs among the results of test/guest.
func take(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var results []struct {
		guest
		Jobs []struct {
			Name   string          `json:"name"`
			Late   bool            `json:"late"`
			JSON   json.RawMessage `json:"json"`
			Commit string          `json:"commit"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var kept []guest
	for _, r := range results {
		for _, job := range r.Jobs {
			name, ok := strings.CutPrefix(job.Name, seenSchema+"/")
			if !ok {
				continue
			}
			s := seen{Program: name, Missing: "it left nothing"}
			if job.Late {
				s.Missing = "it was ended at the limit of its time"
			} else if job.JSON != nil {
				s = seen{}
				if err := json.Unmarshal(job.JSON, &s); err != nil {
					return fmt.Errorf("%s: %s on %s: %w", file, job.Name, r.Host, err)
				}
			}
			s.Commit = job.Commit
			r.Seen = append(r.Seen, s)
		}
		if r.Seen != nil {
			kept = append(kept, r.guest)
		}
	}
	if text, err = json.MarshalIndent(kept, "", "\t"); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(guestsFile), 0o755); err != nil {
		return err
	}
	return os.WriteFile(guestsFile, append(text, '\n'), 0o644)
}

func readKept() (kept []guest, err error) {
	text, err := os.ReadFile(guestsFile)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", guestsFile, err)
	}
	return kept, nil
}

// prepareAll makes the folders of the jobs that guests can do.
func prepareAll(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range programs() {
		if p.native != "" {
			continue
		}
		if why := p.make(filepath.Join(dir, p.name)); why != "" {
			return fmt.Errorf("%s: %s", p.name, why)
		}
	}
	return nil
}
