package main

import (
	"fmt"
	"slices"
	"strings"
)

const guestsHead = `
## On other kernels

The same programs, with the same files of this machine's, in guests that boot other
kernels (` + "`go run ./test/guest -suites programs`" + `): where each was in a box without a
grant, watched, and enforced as above. A cell says what was there another way than on
this machine: how it ended, what it was refused, and what was learned ("+" there
alone, "−" here alone). *as here* is all of it the same. A cell that is of another
commit than the rest of its kernel names it.

| kernel | is | programs | end enforced as watched | end the same traced or not | as here in all | seen |
|---|---|---|---|---|---|---|
`

// guestsPage is the part of the page that is about other kernels.
func guestsPage(rows []row, kept []guest) string {
	if len(kept) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(guestsHead)
	for _, g := range kept {
		n, same, verdicts, all := 0, 0, 0, 0
		for _, s := range g.Seen {
			if s.Missing != "" {
				continue
			}
			n++
			if s.Differs == "" {
				same++
			}
			if s.Enforced == s.Traced {
				verdicts++
			}
			if i := rowOf(rows, s.Program); i >= 0 && len(differences(rows[i].seen(), s)) == 0 {
				all++
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s, %s |\n", g.Host, g.Kernel, n, same, verdicts, all, g.At.Format("2006-01-02"), g.Commit)
	}
	b.WriteString("\n| program |")
	for _, g := range kept {
		fmt.Fprintf(&b, " %s |", g.Host)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(kept)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.name)
		for _, g := range kept {
			fmt.Fprintf(&b, " %s |", guestCell(r, g))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func rowOf(rows []row, name string) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.name == name && r.missing == "" })
}

// guestCell is what a guest saw of a program.
func guestCell(r row, g guest) string {
	if r.native != "" {
		return "left out: " + r.native
	}
	i := slices.IndexFunc(g.Seen, func(s seen) bool { return s.Program == r.name })
	if i < 0 {
		return "not run"
	}
	s := g.Seen[i]
	if s.Missing != "" {
		return "left out: " + cell(s.Missing)
	}
	list := []string{"as here"}
	if r.missing != "" {
		list = []string{"enforced: " + s.Enforced}
	} else if d := differences(r.seen(), s); len(d) > 0 {
		list = d
	}
	if s.Commit != "" {
		list = append(list, "(of commit "+s.Commit+")")
	}
	return strings.ReplaceAll(cell(strings.Join(list, "<br>")), "\n", "<br>")
}

// differences are what is another way there than here.
func differences(here, there seen) (list []string) {
	for _, d := range []struct{ what, here, there string }{
		{"without a grant", here.Bare, there.Bare},
		{"watched", here.Watched, there.Watched},
		{"enforced", here.Enforced, there.Enforced},
	} {
		if d.here != d.there {
			list = append(list, d.what+": "+d.there)
		}
	}
	if there.Enforced != there.Traced {
		list = append(list, "traced: "+there.Traced)
	}
	if there.Differs != "" {
		list = append(list, there.Differs)
	}
	list = append(list, apart("refused", here.Refused, there.Refused)...)
	return append(list, apart("learned", here.Learned, there.Learned)...)
}

// apart is what is in one of two lists alone.
func apart(what string, here, there []string) (list []string) {
	for _, s := range there {
		if !slices.Contains(here, s) {
			list = append(list, what+" + `"+s+"`")
		}
	}
	for _, s := range here {
		if !slices.Contains(there, s) {
			list = append(list, what+" − `"+s+"`")
		}
	}
	return list
}
