package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// text is a row for people.
func (r row) text() string {
	if r.missing != "" {
		return fmt.Sprintf("%-22s left out: %s\n", r.name, r.missing)
	}
	return fmt.Sprintf("%-22s bare: %s; watched: %s; ro %d, rw %d; enforced: %s, traced %s; %s\n", r.name, verdict(r.bare), r.ended,
		grants(r.learned, "ro"), grants(r.learned, "rw"), verdict(r.heard), verdict(r.traced), first(r.check))
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

const intro = `# Learning profiles of real programs

Written by ` + "`go run ./test/programs -docs docs/learn.md`" + ` at commit %s
on %s, %s: not by hand.

Each program has a small job in a folder of its own, and runs

1. in a box without a single grant, traced (` + "`jail run --trace " + bareFlags + "`" + `), where that folder is
   empty: *without a grant* is how it ended, and what it was refused, without what
   many programs look for in vain;
2. in the watching box of ` + "`jail learn`" + `, which shows that folder and no other: *watched*
   is how it ended, *profile* what was learned, as lines of ro and rw, and calls allowed
   beyond the policy. The line below a program's name is all that is typed behind
   ` + "`jail learn --timeout " + perRun + "`" + `; limits without a flag are the watching box's own, such as
   2G of memory;
3. with that profile enforced, without ` + "`--trace`" + ` and with it: *enforced* is how it ended,
   which has to be the same both times, and what ` + "`jail learn --check`" + ` says differs.

A program that fails watched has asked for what no box gives, such as a network: its
profile is enforced all the same, and it fails in the same way.

| program | without a grant | refused there | watched | profile | enforced | differs |
|---|---|---|---|---|---|---|
`

func page(rows []row, kept []guest, commit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, commit, "Linux "+release(), runtime.GOARCH)
	var out []string
	same, verdicts := 0, 0
	for _, r := range rows {
		if r.missing != "" {
			out = append(out, r.name+" ("+r.missing+")")
			continue
		}
		differs := "nothing"
		if !r.same {
			differs = strings.ReplaceAll(r.check, "\n", "<br>")
		} else {
			same++
		}
		enforced := verdict(r.heard)
		if verdict(r.heard) == verdict(r.traced) {
			verdicts++
		} else {
			enforced += "; traced " + verdict(r.traced)
		}
		fmt.Fprintf(&b, "| %s<br>`%s` | %s | %s | %s | %s | %s | %s |\n", r.name, cell(r.line()), verdict(r.bare), codes(denials(r.bare, mostRefused)), r.ended,
			profileText(r.learned), enforced, cell(differs))
	}
	n := len(rows) - len(out)
	fmt.Fprintf(&b, "\n%d programs: %d end enforced as they do watched, with nothing refused that was not refused there; %d end the same whether they are traced or not.\n", n, same, verdicts)
	if len(out) > 0 {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", strings.Join(out, "; "))
	}
	return b.String() + guestsPage(rows, kept) + details(rows)
}

// profileText says how large a profile is.
func profileText(profile string) string {
	parts := []string{fmt.Sprintf("ro %d, rw %d", grants(profile, "ro"), grants(profile, "rw"))}
	if strings.Contains(profile, `mode = "loopback"`) {
		parts = append(parts, "loopback")
	}
	for line := range strings.Lines(profile) {
		if line == "unix = true\n" || strings.HasPrefix(line, "allow = [") {
			parts = append(parts, "`"+strings.TrimSpace(line)+"`")
		}
		if value, ok := strings.CutPrefix(line, "memory = "); ok {
			parts = append(parts, "memory "+strings.Trim(strings.Fields(value)[0], `"`))
		}
		if value, ok := strings.CutPrefix(line, "pids = "); ok {
			parts = append(parts, "pids "+strings.Fields(value)[0])
		}
	}
	return strings.Join(parts, ", ")
}

// details are the profiles themselves, with the folder of the job called JOB.
func details(rows []row) string {
	var b strings.Builder
	b.WriteString("\n## The profiles\n\nThe folder of the job is called /JOB here, and what many programs look for is left out.\n")
	for _, r := range rows {
		if r.missing == "" {
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n```toml\n%s```\n\n</details>\n", r.name, told(renamed(r.learned)))
		}
	}
	return b.String()
}

// told is a profile without the list of what many programs look for, which is of
// this machine more than of the program.
func told(profile string) string {
	head, rest, ok := strings.Cut(profile, "#\n# Not there, and mostly done without:\n")
	if !ok {
		return profile
	}
	_, rest, _ = strings.Cut(rest, "\n\n")
	return head + "\n" + rest
}

// renamed is a text with the folders that these runs made under a steady name.
func renamed(text string) string {
	for {
		at := strings.Index(text, os.TempDir()+"/jail-programs-")
		if at < 0 {
			return text
		}
		rest := text[at+len(os.TempDir())+1:]
		end := strings.IndexAny(rest, "/\"':\n")
		job := rest[:max(end, 0)]
		// The folder of the program is below, and may have spaces in its name.
		below := strings.TrimPrefix(rest[len(job):], "/")
		for _, p := range programs() {
			if name, ok := strings.CutPrefix(below, p.name); ok {
				below = name
				break
			}
		}
		text = text[:at] + "/JOB" + below
	}
}

func codes(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	for i, s := range list {
		list[i] = "`" + cell(renamed(s)) + "`"
	}
	return strings.Join(list, "<br>")
}

// cell is text in a table.
func cell(s string) string { return strings.ReplaceAll(renamed(s), "|", `\|`) }

func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "of unknown release"
	}
	return strings.SplitN(unix.ByteSliceToString(u.Release[:]), "-", 2)[0]
}
