package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// page is docs/hosts.md: what each class of hosts enforces, or how it refuses,
// what was run there and how long it took. Nothing in it is written by hand but
// its frame.
func page(all []result) string {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| host | is | kernel | Landlock |\n|---|---|---|---|\n")
	for _, h := range hosts() {
		kernel, abi := "not run", "—"
		if r := find(all, h.name, "root"); r != nil {
			kernel = r.Kernel
			if report, ok := r.report(); ok && report.LandlockABI > 0 {
				abi = fmt.Sprintf("ABI %d", report.LandlockABI)
			} else if ok {
				abi = "none"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", h.name, h.what, kernel, abi)
	}
	b.WriteString(wallsHead)
	each(all, func(r *result) { b.WriteString(wallsRow(r)) })
	b.WriteString(runsHead)
	each(all, func(r *result) { b.WriteString(runsRow(r)) })
	b.WriteString(skipsHead)
	for _, line := range skipLines(all) {
		b.WriteString(line)
	}
	b.WriteString(pageTail)
	return b.String()
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
		cell := "—"
		i := slices.IndexFunc(weak.Layers, func(l jail.Layer) bool { return l.Name == name })
		if ok && i >= 0 && weak.Layers[i].Applied {
			cell = weak.Layers[i].Mechanism
			if name == jail.LayerCgroup {
				cell += ": " + weak.Layers[i].Evidence
			}
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
	if report.OK {
		return "runs"
	}
	said := "refused: " + report.Box.Message
	if report.Box.Hint != "" {
		said += " → " + report.Box.Hint
	}
	return said
}

func runsRow(r *result) string {
	row := fmt.Sprintf("| %s, %s | %v |", r.Host, r.Role, milliseconds(r.BootMS))
	for _, language := range []string{"node", "python"} {
		rec, ok := r.record(language)
		cell := "—"
		if ok {
			cell = string(rec.Reason)
		}
		if ok && rec.OK {
			cell = fmt.Sprintf("%d ms", rec.Usage.WallMS)
		}
		row += " " + cell + " |"
	}
	for _, name := range []string{"cgroups", "jail", "escape"} {
		cell := "—"
		if e := r.job(name); e != nil {
			cell = fmt.Sprintf("%d / %d / %d in %v", e.Passed, len(e.Failed), len(e.Skips), milliseconds(e.TookMS))
		}
		row += " " + cell + " |"
	}
	return row + "\n"
}

// skipLines says what was skipped where, a line for each reason.
func skipLines(all []result) []string {
	where := map[string][]string{}
	each(all, func(r *result) {
		for _, e := range r.Jobs {
			for _, s := range e.Skips {
				_, why, ok := strings.Cut(s.Said, ": ") // behind the place in the source
				if !ok {
					why = s.Said
				}
				key := e.Name + ": " + why
				if at := r.Host + ", " + r.Role; !slices.Contains(where[key], at) {
					where[key] = append(where[key], at)
				}
			}
		}
	})
	var lines []string
	for key, at := range where {
		lines = append(lines, fmt.Sprintf("- %s (%s)\n", strings.Join(strings.Fields(key), " "), strings.Join(at, "; ")))
	}
	slices.Sort(lines)
	return lines
}

// escaped is a cell's text: a bar would end the cell.
func escaped(cell string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", `\|`)
}
