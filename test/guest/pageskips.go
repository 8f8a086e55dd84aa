package main

import (
	"fmt"
	"slices"
	"strings"
)

// notThere is what the table of attacks says of one whose target a host lacks.
const notThere = "this kernel or machine does not have what is attacked"

// skipLines says what was skipped where and how often, a line for each reason.
func skipLines(all []result) []string {
	where, names := map[string][]string{}, map[string][]string{}
	each(all, func(r *result) {
		count := map[string]int{}
		for _, e := range r.Jobs {
			for _, s := range e.Skips {
				key := e.Name + ": " + whySkipped(s)
				count[key]++
				if name := attackOf(s.Test); strings.HasSuffix(key, notThere) && !slices.Contains(names[key], name) {
					names[key] = append(names[key], name)
				}
			}
		}
		for key, n := range count {
			where[key] = append(where[key], fmt.Sprintf("%s %s %d", r.Host, r.Role, n))
		}
	})
	var lines []string
	for key, at := range where {
		line := "- " + key + " (" + strings.Join(at, ", ") + ")"
		if list := names[key]; len(list) > 0 {
			slices.Sort(list)
			line += ": " + strings.Join(list, ", ")
		}
		lines = append(lines, strings.Join(strings.Fields(line), " ")+"\n")
	}
	slices.Sort(lines)
	return lines
}

// whySkipped is the last that a test said, which is why.
func whySkipped(s verdict) string {
	if lines := saidLines(s.Said); len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return s.Said
}

// attackOf is the last part of a test's name.
func attackOf(test string) string {
	parts := strings.Split(test, "/")
	return strings.ReplaceAll(parts[len(parts)-1], "_", " ")
}
