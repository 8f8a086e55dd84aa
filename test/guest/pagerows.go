package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// tier2Layers are the walls that a box without namespaces can have.
var tier2Layers = []jail.LayerName{jail.LayerCaps, jail.LayerLandlock, jail.LayerSeccomp, jail.LayerCgroup, jail.LayerRlimits}

// tier2Row says what enforces what in a box of tier 2, or how it is refused.
func tier2Row(r *result) string {
	row := fmt.Sprintf("| %s, %s |", r.Host, r.Role)
	said, ok := r.report()
	if !ok {
		return row + strings.Repeat(" not run |", len(tier2Layers)+1) + "\n"
	}
	for _, name := range tier2Layers {
		row += " " + escaped(mechanism(said.Tier2.Layers, name)) + " |"
	}
	return row + " " + escaped(boxVerdict(said.Tier2)) + " |\n"
}

// mechanism is what enforces a layer, or "—".
func mechanism(layers []jail.Layer, name jail.LayerName) string {
	i := slices.IndexFunc(layers, func(l jail.Layer) bool { return l.Name == name })
	if i < 0 || !layers[i].Applied {
		return "—"
	}
	if name == jail.LayerCgroup {
		return layers[i].Mechanism + ": " + layers[i].Evidence
	}
	return layers[i].Mechanism
}

// tier2Notes are what the records say of the walls that such boxes lack.
func tier2Notes(all []result) string {
	var notes []string
	each(all, func(r *result) {
		said, ok := r.report()
		if !ok || said.Tier2.Reason != jail.ReasonOK {
			return
		}
		for _, l := range said.Tier2.Layers {
			text, _, _ := strings.Cut(steadyNote(l.Note), ": cgroups: ") // why is in the table of walls
			if note := fmt.Sprintf("- %s: %s\n", l.Name, text); !l.Applied && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	})
	slices.Sort(notes)
	return "\nWhat the records say of the walls that are missing:\n\n" + strings.Join(notes, "")
}

// steadyNote is a note without the name that a private folder happens to have.
func steadyNote(note string) string {
	for _, v := range varying() {
		note = v.pattern.ReplaceAllString(note, v.by)
	}
	return note
}

// runsRow says what was run on a host, and how it went.
func runsRow(h class, r *result) string {
	row := fmt.Sprintf("| %s, %s | %v |", r.Host, r.Role, milliseconds(r.BootMS))
	for _, language := range []string{"node", "python"} {
		row += " " + languageCell(r, language) + " |"
	}
	for _, s := range suites() {
		if !slices.Contains([]string{"cgroups", "reasons", "audit", "jail", "escape"}, s.name) {
			continue
		}
		cell := "not run: " + r.notRun(s, h)
		if e := r.job(s.name); e != nil && e.NotRun == "" {
			cell = fmt.Sprintf("%d / %d / %d in %v", e.Passed, len(e.Failed), len(e.Skips), milliseconds(e.TookMS))
		}
		row += " " + cell + " |"
	}
	return row + "\n"
}

// languageCell says how a script ran with all defaults, and if that was refused,
// how it ran without what is missing.
func languageCell(r *result, language string) string {
	rec, ok := r.record(language)
	if e := r.job(language); e != nil && e.NotRun != "" {
		return "not run: " + e.NotRun
	}
	if !ok {
		return "not run: " + notAskedFor
	}
	if rec.OK {
		return fmt.Sprintf("%d ms", rec.Usage.WallMS)
	}
	cell := string(rec.Reason)
	if rec.Refusal != nil {
		cell = "refused: " + string(rec.Refusal.Layer)
	}
	if weaker, ok := r.record(language + without); ok && weaker.OK && rec.Refusal != nil {
		cell += fmt.Sprintf("; with `--optional %s` %d ms", rec.Refusal.Layer, weaker.Usage.WallMS)
	}
	return cell
}

// placeRows are the rows of one suite that makes its places itself: what passed,
// gathered by the place, and what was said of it; or why it was not run.
func placeRows(s suite, h class, r *result) string {
	name, e := s.name, r.job(s.name)
	if !s.here {
		name += ", " + h.name
	}
	if e == nil || e.NotRun != "" {
		return fmt.Sprintf("| %s | — | not run: %s | |\n", name, r.notRun(s, h))
	}
	var places []string
	count, said := map[string]int{}, map[string][]string{}
	for _, v := range e.Passes {
		if slices.ContainsFunc(e.Passes, func(o verdict) bool { return strings.HasPrefix(o.Test, v.Test+"/") }) {
			continue // its parts are listed
		}
		place := placeOf(v)
		if count[place] == 0 {
			places = append(places, place)
		}
		count[place]++
		said[place] = append(said[place], saidLines(v.Said)...)
	}
	var b strings.Builder
	for _, place := range places {
		fmt.Fprintf(&b, "| %s | %s | %d passed | %s |\n", name, escaped(place), count[place], escaped(strings.Join(said[place], "; ")))
	}
	for _, f := range e.Failed {
		fmt.Fprintf(&b, "| %s | %s | **failed** | %s |\n", name, escaped(f.Test), escaped(f.Said))
	}
	if !e.fine() && len(e.Failed) == 0 {
		fmt.Fprintf(&b, "| %s | — | **failed** | it ended with status %d |\n", name, e.Exit)
	}
	return b.String()
}

// placeOf is what a row of a test's is called. Of its parts the first is the place,
// if they have parts of their own or something to say; else the test is.
func placeOf(v verdict) string {
	parts := strings.SplitN(v.Test, "/", 3)
	if len(parts) == 3 || len(parts) == 2 && len(saidLines(v.Said)) > 0 {
		return strings.ReplaceAll(parts[1], "_", " ")
	}
	return "`" + parts[0] + "`"
}

// sourcePlace is where in the source a test says something.
var sourcePlace = regexp.MustCompile(`^\w+\.go:\d+: `)

// saidLines are the lines that a test logged, without where in the source.
func saidLines(said string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); sourcePlace.MatchString(line) {
			lines = append(lines, steadyNote(sourcePlace.ReplaceAllString(line, "")))
		}
	}
	return lines
}
