package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// page is docs/hosts.md: what each class of hosts enforces, or how it refuses,
// what was run there and how long it took. Nothing in it is written by hand but
// its frame. command is that of the run.
func page(all []result, command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, command)
	for _, line := range runLines(all) {
		b.WriteString(line)
	}
	b.WriteString(hostsHead)
	for _, h := range hosts() {
		kernel, abi := "not run", "—"
		if r := findAny(all, h.name); r != nil {
			kernel = cmp.Or(r.Kernel, kernel)
			if report, ok := r.report(); ok && report.LandlockABI > 0 {
				abi = fmt.Sprintf("ABI %d", report.LandlockABI)
			} else if ok {
				abi = "none"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", h.name, h.what, kernel, abi, outcome(all, h, "root"), outcome(all, h, "user"))
	}
	b.WriteString(wallsHead)
	everywhere(all, func(_ class, r *result) { b.WriteString(wallsRow(r)) })
	b.WriteString(tier2Head)
	everywhere(all, func(_ class, r *result) { b.WriteString(tier2Row(r)) })
	b.WriteString(tier2Notes(all))
	b.WriteString(runsHead)
	everywhere(all, func(h class, r *result) { b.WriteString(runsRow(h, r)) })
	b.WriteString(placesHead)
	for _, s := range suites() {
		everywhere(all, func(h class, r *result) {
			if s.listed() && s.unfit(h, r.Role) == "" {
				b.WriteString(placeRows(s, h, r))
			}
		})
	}
	b.WriteString(documentHead)
	for _, v := range varying() {
		fmt.Fprintf(&b, "- %s\n", v.what)
	}
	b.WriteString(skipsHead)
	for _, line := range skipLines(all) {
		b.WriteString(line)
	}
	b.WriteString(pageTail)
	return b.String()
}

// runLines say when the results are from, and of which commits.
func runLines(all []result) []string {
	byCommit := map[string][]*result{}
	each(all, func(r *result) { byCommit[r.Commit] = append(byCommit[r.Commit], r) })
	var lines []string
	for commit, results := range byCommit {
		first, last := results[0].At, results[0].At
		for _, r := range results {
			if r.At.Before(first) {
				first = r.At
			}
			if r.Ended.After(last) {
				last = r.Ended
			}
		}
		of := "one complete run"
		if len(byCommit) > 1 {
			var names []string
			for _, r := range results {
				names = append(names, r.Host+" "+r.Role)
			}
			of = strings.Join(names, ", ")
		}
		const minute = "2006-01-02 15:04"
		lines = append(lines, fmt.Sprintf("- commit %s, from %s to %s UTC: %s\n", commit, first.Format(minute), last.Format(minute), of))
	}
	lines = append(lines, keptLines(all)...)
	slices.Sort(lines)
	return lines
}

// keptLines say which jobs were not run in the run that their host's others are of.
func keptLines(all []result) (lines []string) {
	each(all, func(r *result) {
		kept := map[string][]string{}
		for _, job := range r.Jobs {
			if job.Commit != "" {
				kept[job.Commit] = append(kept[job.Commit], job.Name)
			}
		}
		for commit, jobs := range kept {
			lines = append(lines, fmt.Sprintf("- commit %s, kept of an earlier run: %s %s: %s\n", commit, r.Host, r.Role, strings.Join(jobs, ", ")))
		}
	})
	return lines
}

// outcome is how all that was run on a host for a role went, and how long it took.
func outcome(all []result, h class, role string) string {
	r := find(all, h.name, role)
	switch {
	case !slices.Contains(h.roles(), role):
		return "not run: " + h.onlyRole()
	case r == nil:
		return "not run: " + notAskedFor
	}
	took := milliseconds(r.TookMS).Round(time.Second).String()
	for _, e := range r.Jobs {
		if e.NotRun != "" {
			took += "; " + e.Name + " not run: " + e.NotRun
		}
	}
	if !r.fine() {
		return "**failed**, " + took
	}
	return "ok, " + took
}

func findAny(all []result, host string) *result {
	if r := find(all, host, "root"); r != nil {
		return r
	}
	return find(all, host, "user")
}

// each goes through the results in the order of the hosts.
func each(all []result, do func(*result)) {
	for _, h := range hosts() {
		for _, role := range []string{"root", "user"} {
			if r := find(all, h.name, role); r != nil {
				do(r)
			}
		}
	}
}

// everywhere goes through all hosts and their roles. Those of which there is no result
// have an empty one.
func everywhere(all []result, do func(class, *result)) {
	for _, h := range hosts() {
		for _, role := range h.roles() {
			r := find(all, h.name, role)
			if r == nil {
				r = &result{Host: h.name, Role: role}
			}
			do(h, r)
		}
	}
}

func find(all []result, host, role string) *result {
	i := slices.IndexFunc(all, func(r result) bool { return r.Host == host && r.Role == role })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func (r *result) job(name string) *ended {
	i := slices.IndexFunc(r.Jobs, func(e ended) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Jobs[i]
}

// record is the record that a job left, if it left one.
func (r *result) record(name string) (rec jail.Result, ok bool) {
	e := r.job(name)
	ok = e != nil && json.Unmarshal(e.JSON, &rec) == nil
	return rec, ok
}

// A report is what the page needs of what `jail doctor --json` says.
type report struct {
	OK          bool
	LandlockABI int `json:"landlock_abi"`
	Box         jail.Result
	Tier2       jail.Result
}

func (r *result) report() (said report, ok bool) {
	e := r.job("doctor")
	ok = e != nil && json.Unmarshal(e.JSON, &said) == nil
	return said, ok
}

// layers are the columns of the table of walls, in the order of a record.
var layers = [...]jail.LayerName{jail.LayerNamespaces, jail.LayerRoot, jail.LayerCaps, jail.LayerLandlock, jail.LayerSeccomp,
	jail.LayerCgroup, jail.LayerRlimits}

// wallsRow says what enforces each wall in a box that may go without those that
// a host can't have, and how the box with all defaults is refused there.
func wallsRow(r *result) string {
	row := fmt.Sprintf("| %s, %s |", r.Host, r.Role)
	weak, ok := r.record(weakened)
	for _, name := range layers {
		cell := "not run"
		if ok {
			cell = mechanism(weak.Layers, name)
		}
		row += " " + escaped(cell) + " |"
	}
	return row + " " + escaped(verdictOf(r)) + " |\n"
}

// verdictOf is how the box with all defaults went.
func verdictOf(r *result) string {
	report, ok := r.report()
	if !ok {
		return "not run"
	}
	return boxVerdict(report.Box)
}

// boxVerdict is how one box of doctor's went.
func boxVerdict(box jail.Result) string {
	if box.Reason == jail.ReasonOK {
		return "runs"
	}
	said := "refused: " + box.Message
	if box.Hint != "" {
		said += " → " + box.Hint
	}
	return said
}

// escaped is a cell's text: a bar would end the cell.
func escaped(cell string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", `\|`)
}
