package examples

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A page is a text with blocks of three kinds that are tested: files, which a comment
// `<!-- file: NAME -->` before the block names; sessions (```console), in which lines
// behind "$ " are typed, those behind "> " go on, and the others are what is shown, "…"
// standing for anything; and JSON, which must be some.
type page struct {
	files    map[string]string
	sessions []typed
	json     []string
}

// A typed is one command and what it shows.
type typed struct {
	line          int
	command, want string
	status        bool // the next command asks for its exit status
}

var fileComment = regexp.MustCompile(`^<!-- file: (\S+) -->$`)

func readPage(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := page{files: map[string]string{}}
	kind, file, block := "", "", []string(nil)
	for i, line := range strings.Split(string(text), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && kind == "":
			if kind = fence; kind == "" {
				kind = "text"
			}
			block = nil
		case isFence:
			p.end(kind, file, block, i-len(block)+1)
			kind, file = "", ""
		case kind != "":
			block = append(block, line)
		default:
			if m := fileComment.FindStringSubmatch(line); m != nil {
				file = m[1]
			}
		}
	}
	return p
}

// end takes a block that begins on line first.
func (p *page) end(kind, file string, block []string, first int) {
	text := strings.Join(block, "\n") + "\n"
	switch {
	case file != "":
		p.files[file] = text
	case kind == "json":
		p.json = append(p.json, text)
	case kind == "console":
		for i, line := range block {
			last := len(p.sessions) - 1
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				if command == "echo $?" {
					p.sessions[last].status = true
				}
				p.sessions = append(p.sessions, typed{line: first + i, command: command})
			} else if more, ok := strings.CutPrefix(line, "> "); ok && last >= 0 && p.sessions[last].want == "" {
				p.sessions[last].command += "\n" + more
			} else if last >= 0 {
				p.sessions[last].want += line + "\n"
			}
		}
	}
}

// TestPages types what the pages show, each page in a folder of its own.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatal(pages, err)
	}
	for _, path := range append(pages, sources+"/README.md") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if filepath.Base(path) == "packages.md" {
				havePackages(t)
			}
			p := readPage(t, path)
			if written := slices.Contains([]string{"hosts.md", "learn.md", "speed.md"}, filepath.Base(path)); written != (len(p.sessions) == 0) {
				t.Errorf("%d commands are typed; a program has written it: %v", len(p.sessions), written)
			}
			p.check(t, path)
		})
	}
}

func (p page) check(t *testing.T, path string) {
	// Boxes of root's read the folder as somebody else, and have a /tmp of their own.
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-page-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range p.files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(sources)); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err == nil {
		err = os.Symlink(root, filepath.Join(dir, "jail")) // the checkout, beside what the README makes
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range p.json {
		checkJSON(t, dir, text)
	}
	for i, shown := range p.typeIn(t, dir) {
		c := p.sessions[i]
		if !c.pattern().MatchString(shown.text) {
			t.Errorf("%s:%d: %s\nshows\n%s\nand not\n%s", path, c.line, c.command, shown.text, c.want)
		}
		if shown.status != "0" && !c.status {
			t.Errorf("%s:%d: %s\nends with %s, which the page does not say: %s", path, c.line, c.command, shown.status, shown.text)
		}
	}
}

// pattern is what is to be shown, as an expression.
func (c typed) pattern() *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.TrimRight(c.want, "\n"))
	return regexp.MustCompile(`(?s)^` + strings.ReplaceAll(quoted, "…", ".*") + `\n*$`)
}

// A shown is what came of a command.
type shown struct{ text, status string }

// typeIn types a page's commands into one shell.
func (p page) typeIn(t *testing.T, dir string) []shown {
	t.Helper()
	const mark = "@@done@@"
	var script strings.Builder
	for _, c := range p.sessions {
		fmt.Fprintf(&script, "%s\n__status=$?; printf '\\n%s%%s\\n' $__status; (exit $__status)\n", c.command, mark)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", "exec 2>&1 </dev/null\n"+script.String())
	shell.Dir = dir
	shell.Env = append(os.Environ(), "HOME="+dir, "PWD="+dir)
	shell.WaitDelay = 5 * time.Second
	out, err := shell.Output()
	parts := strings.Split(string(out), "\n"+mark)
	if len(parts) != len(p.sessions)+1 {
		t.Fatalf("%d of %d commands ran: %v\n%s", len(parts)-1, len(p.sessions), err, out)
	}
	all := make([]shown, len(p.sessions))
	text := parts[0]
	for i, next := range parts[1:] {
		status, rest, _ := strings.Cut(next, "\n")
		all[i], text = shown{text, status}, rest
	}
	return all
}

// checkJSON demands JSON, and of what is a client's configuration that its commands
// start: with no input they end at once. The home that it shows is the page's folder.
func checkJSON(t *testing.T, dir, text string) {
	t.Helper()
	var shown struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Errorf("%v: %s", err, text)
		return
	}
	for name, s := range shown.Servers {
		for i := range s.Args {
			s.Args[i] = strings.Replace(s.Args[i], "/home/me", dir, 1)
		}
		command := exec.Command(s.Command, s.Args...)
		command.Dir, command.Env = dir, append(os.Environ(), "HOME="+dir)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %s %q: %v: %s", name, s.Command, s.Args, err, out)
		}
	}
}
