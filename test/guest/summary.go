package main

import (
	"fmt"
	"strings"
	"time"
)

// line is a result in one line.
func (r result) line() string {
	var b strings.Builder
	verdict := "ok"
	if !r.fine() {
		verdict = "FAIL"
	}
	fmt.Fprintf(&b, "%-4s  %s as %s, Linux %s, up in %v:", verdict, r.Host, r.Role, r.Kernel, milliseconds(r.BootMS))
	for _, e := range r.Jobs {
		fmt.Fprintf(&b, " %s", e.Name)
		if e.NotRun != "" {
			fmt.Fprintf(&b, " not run: %s;", e.NotRun)
			continue
		}
		if e.JSON == nil {
			fmt.Fprintf(&b, " %d passed, %d failed, %d skipped", e.Passed, len(e.Failed), len(e.Skips))
		} else {
			fmt.Fprintf(&b, " exit %d", e.Exit)
			passed := "as it must"
			if e.Wrong != "" {
				passed = e.Wrong
			}
			b.WriteString(", " + passed)
		}
		if e.Late {
			b.WriteString(", ended at its limit")
		}
		fmt.Fprintf(&b, " (%v);", milliseconds(e.TookMS))
	}
	return strings.TrimSuffix(b.String(), ";")
}

func milliseconds(n int64) time.Duration {
	return (time.Duration(n) * time.Millisecond).Round(100 * time.Millisecond)
}

// summarize prints what was skipped and what failed, and says whether all is
// fine. Its last line counts the tests of all guests.
func summarize(results []result) bool {
	passed, failed, skipped, notRun := 0, 0, 0, 0
	for _, r := range results {
		if r.Fault != "" {
			failed++
		}
		for _, e := range r.Jobs {
			if e.NotRun != "" {
				notRun++
			}
			passed, failed, skipped = passed+e.Passed, failed+len(e.Failed), skipped+len(e.Skips)
			if e.JSON != nil && e.fine() {
				passed++
			} else if !e.fine() && len(e.Failed) == 0 {
				failed++
			}
			for _, s := range e.Skips {
				fmt.Printf("SKIPPED  %s as %s: %s %s: %s\n", r.Host, r.Role, e.Name, s.Test, s.Said)
			}
		}
	}
	ok := true
	for _, r := range results {
		ok = ok && r.fine()
		if r.Fault != "" {
			fmt.Printf("FAILED  %s as %s: %s\n", r.Host, r.Role, r.Fault)
		}
		for _, e := range r.Jobs {
			if e.fine() {
				continue
			}
			for _, f := range e.Failed {
				fmt.Printf("FAILED  %s as %s: %s %s:\n%s\n", r.Host, r.Role, e.Name, f.Test, f.Said)
			}
			if e.Wrong != "" {
				fmt.Printf("FAILED  %s as %s: %s: %s: %s\n", r.Host, r.Role, e.Name, e.Wrong, e.JSON)
			} else if len(e.Failed) == 0 {
				fmt.Printf("FAILED  %s as %s: %s: exit status %d, late: %v:\n%s\n", r.Host, r.Role, e.Name, e.Exit, e.Late, e.Output)
			}
		}
	}
	fmt.Printf("guests: %d passed, %d failed, %d skipped, %d jobs not run\n", passed, failed, skipped, notRun)
	return ok
}
