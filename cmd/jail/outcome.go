package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// printOutcome tells a person what the exit status alone does not: why jail
// ended the program or never started it, which layers were missing, and that
// not all of the output is there. A program that ended by itself needs no other
// words, unless it failed and was refused something that is often why, or a hint says
// what its own words are of. quiet leaves only refusals and failures of jail itself.
// Whoever asked what was refused (traced) is told all of it.
func printOutcome(w io.Writer, r jail.Result, quiet, traced bool) {
	refused := r.Reason == jail.ReasonSetupRefused || r.Reason == jail.ReasonInternalError || r.Reason == jail.ReasonExecFailed
	if quiet && !refused {
		return
	}
	for _, l := range r.Layers {
		if !l.Applied && !refused {
			fmt.Fprintf(w, "jail: without %s: %s\n", l.Name, visible(l.Note))
		}
	}
	ended := r.Reason == jail.ReasonOK || r.Reason == jail.ReasonExecutionFailed
	likely := slices.ContainsFunc(r.Denials, func(d jail.Denial) bool { return d.Likely })
	// What many programs are refused and do without is in the record alone.
	told := likely || r.Reason == jail.ReasonExecutionFailed && r.Hint != "" && (wordless(r) || !strings.Contains(r.Hint, "it was refused "))
	if ended && !told && !r.Stdout.Truncated && !r.Stderr.Truncated {
		if traced {
			printDenials(w, r.Denials)
		}
		return
	}
	line := "jail: " + string(r.Reason)
	if r.Message != "" {
		line += ": " + r.Message
	}
	hint := r.Hint
	if hint == "" && r.Refusal != nil {
		hint = r.Refusal.Remedy
	}
	if hint != "" {
		line += " (" + hint + ")"
	}
	fmt.Fprintln(w, visible(line))
	if likely || traced || !ended || !told {
		printDenials(w, r.Denials)
	}
}

// wordless says whether a program failed and said nothing of it: 1 alone is an answer, as
// grep's that there is no such line.
func wordless(r jail.Result) bool {
	return r.ExitCode != nil && *r.ExitCode > 1 && r.Stdout.Bytes == 0 && r.Stderr.Bytes == 0
}

// printDenials is a line for each thing that was refused.
func printDenials(w io.Writer, denials []jail.Denial) {
	for _, d := range denials {
		text := fmt.Sprintf("jail: %s denied %s, %d times", d.Layer, d.What, d.Count)
		if d.Count == 1 {
			text = fmt.Sprintf("jail: %s denied %s", d.Layer, d.What)
		}
		switch {
		case d.Grant != "":
			text += "; to allow it: " + d.Way()
		case strings.HasPrefix(d.Never, "not hinted"): // which a flag grants to whoever means it
			text += "; " + d.Never
		case d.Never != "":
			text += "; no flag allows it: " + d.Never
		}
		fmt.Fprintln(w, visible(text))
	}
}

// printTimings is a table of the stages, in the order in which they began.
func printTimings(w io.Writer, timings []jail.Timing) {
	for i, t := range timings {
		if i == 0 {
			fmt.Fprintf(w, "jail: %8s %8s  µs\n", "began", "took")
		}
		fmt.Fprintf(w, "jail: %8d %8d  %-10s %s\n", t.AtUS, t.US, t.Process, t.Stage)
	}
}
