package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/jail"
)

// printOutcome tells a person what the exit status alone does not: why jail
// ended the program or never started it, which layers were missing, and that
// not all of the output is there. A program that ended by itself needs no other
// words, unless it failed and was refused something that is often why, or a hint says
// what its own words are of; or it ended well, and a hint says what did not. quiet leaves only refusals and failures of jail itself.
// Whoever asked what was refused (traced) is told all of it.
func printOutcome(w io.Writer, r jail.Result, quiet, traced bool) {
	refused := r.Reason == jail.ReasonSetupRefused || r.Reason == jail.ReasonInternalError || r.Reason == jail.ReasonExecFailed
	if quiet && !refused {
		return
	}
	for _, l := range r.Layers {
		if !l.Applied && !refused {
			fmt.Fprintf(w, "jail: without %s: %s\n", l.Name, visible(inShort(l)))
		}
	}
	ended := r.Reason == jail.ReasonOK || r.Reason == jail.ReasonExecutionFailed
	likely := slices.ContainsFunc(r.Denials, func(d jail.Denial) bool { return d.Likely })
	// What many programs are refused and do without is in the record alone.
	told := likely || r.Reason == jail.ReasonOK && r.Hint != "" || r.Reason == jail.ReasonExecutionFailed && r.Hint != "" && (wordless(r) || !strings.Contains(r.Hint, "it was refused "))
	if ended && !told && !r.Stdout.Truncated && !r.Stderr.Truncated {
		if traced {
			printDenials(w, r.Denials)
		}
		return
	}
	line := "jail: " + string(r.Reason)
	message, hint := r.Message, r.Hint
	if hint == "" && r.Refusal != nil {
		hint = r.Refusal.Remedy
	}
	if r.Refusal != nil && r.Refusal.Layer == jail.LayerCgroup {
		message, hint = nobox.InShort(message, hint)
	}
	if message != "" {
		line += ": " + inSizes(message)
	}
	if hint != "" {
		line += " (" + hint + ")"
	}
	fmt.Fprintln(w, visible(line))
	if likely || traced || !ended || !told {
		denials := r.Telling()
		if traced {
			denials = r.Denials
		}
		printDenials(w, denials)
	}
}

// inSizes writes the numbers of bytes in a sentence as sizes are typed.
func inSizes(text string) string {
	words := strings.Split(text, " ")
	for i := len(words) - 2; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(words[i+1], "bytes"); ok {
			if size := inUnits(words[i] + " bytes"); size != words[i] && strings.TrimRight(size, "KMG") != size {
				words[i] = size + rest
				words = slices.Delete(words, i+1, i+2)
			}
		}
	}
	return strings.Join(words, " ")
}

// inShort is what a missing layer's note says first: whoever gave the control group up by
// name is not told at each run what takes its place, and why, which the record has.
func inShort(l jail.Layer) string {
	if l.Name != jail.LayerCgroup {
		return l.Note
	}
	short, _, _ := strings.Cut(l.Note, "; ")
	return short
}

// wordless says whether a program failed and said nothing of it: 1 alone is an answer, as
// grep's that there is no such line.
func wordless(r jail.Result) bool {
	return r.ExitCode != nil && *r.ExitCode > 1 && r.Stdout.Bytes == 0 && r.Stderr.Bytes == 0
}

// layerWords is what people are told of a layer: by "root" they would read the user.
func layerWords(l jail.LayerName) string {
	if l == jail.LayerRoot {
		return "the box's files"
	}
	return string(l)
}

// doubt is how much of a denial is rather not why a program failed: what is the system's
// most programs do without.
func doubt(d jail.Denial) int {
	switch {
	case d.Likely:
		return 0
	case strings.Contains(d.What, ` "/etc/`) || strings.Contains(d.What, ` "/usr/`):
		return 2
	}
	return 1
}

// printDenials is a line for each thing that was refused, the likeliest first.
func printDenials(w io.Writer, denials []jail.Denial) {
	denials = slices.Clone(denials)
	slices.SortStableFunc(denials, func(a, b jail.Denial) int { return doubt(a) - doubt(b) })
	for _, d := range denials {
		text := fmt.Sprintf("jail: %s denied %s, %d times", layerWords(d.Layer), d.What, d.Count)
		if d.Count == 1 {
			text = fmt.Sprintf("jail: %s denied %s", layerWords(d.Layer), d.What)
		}
		switch {
		case d.Grant != "":
			text += "; to allow it: " + d.Way()
		case d.Never != "" && (strings.HasPrefix(d.Never, "not hinted") || d.Errno == ""): // which a flag grants to whoever means it; what was not told apart
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
