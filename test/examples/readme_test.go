package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

const readme = "../../README.md"

// typedRows are the commands of the README's table of what one wants and types.
func typedRows(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What you want, what you type\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for _, row := range regexp.MustCompile("(?m)^\\|.* \\| `([^`]+)` \\|$").FindAllStringSubmatch(section, -1) {
		commands = append(commands, row[1])
	}
	return commands
}

// TestReadmeTable types what the README's table says, with the files that it names.
func TestReadmeTable(t *testing.T) {
	// Boxes of root's read the folder as somebody else, and have a /tmp of their own.
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-readme-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"script.py": "print('hello')\n", "body.py": "return 6 * 7\n", "data.csv": "a,b\n1,2\n"} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/job", 0o755); err != nil {
		t.Fatal(err)
	}
	commands := typedRows(t)
	if len(commands) < 15 {
		t.Errorf("the table has %d commands, want 15 at least: %q", len(commands), commands)
	}
	for _, c := range commands {
		t.Run(c, func(t *testing.T) {
			shell := exec.Command("bash", "-c", c)
			if strings.Contains(c, "--tty") {
				if _, err := exec.LookPath("script"); err != nil {
					shipped.NotToBeHad(t, "there is no script(1) to have a terminal of")
				}
				shell = exec.Command("script", "-qec", c, "/dev/null")
				shell.Stdin = strings.NewReader("exit\n")
			}
			shell.Dir = dir
			shell.Env = append(os.Environ(), "LANG=C.UTF-8")
			if out, err := shell.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	if _, err := os.Stat(dir + "/job/made"); err != nil {
		t.Error("what a box wrote to its workspace is not there:", err)
	}
}

// TestReadmeGo: a module of its own takes this one, as the README says.
func TestReadmeGo(t *testing.T) {
	p := readPage(t, readme)
	if len(p.files) != 1 || len(p.sessions) == 0 {
		t.Fatalf("there are %d files and %d commands, want one program and how to run it", len(p.files), len(p.sessions))
	}
	p.json = nil // parts of records
	p.check(t, readme)
}

// headings are those of a page, by the name that a link gives them, and whether each is one
// of the first rank below the title.
func headings(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^##(#?) (.*)$`).FindAllStringSubmatch(string(text), -1) {
		plain := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(h[2]), "")
		all[strings.ReplaceAll(plain, " ", "-")] = h[1] == ""
	}
	return all
}

// TestLinks: what the README and the pages point to is there, and the README's contents have
// all of its parts and name every page.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, path := range append(pages, readme, sources+"/README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			file, heading, anchored := strings.Cut(l[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", path, l[1], err)
				continue
			}
			if anchored {
				if _, ok := headings(t, target)[heading]; !ok {
					t.Errorf("%s: %s: there is no such heading", path, l[1])
				}
			}
			if path == readme {
				linked[l[1]] = true
			}
		}
	}
	for h, first := range headings(t, readme) {
		if first && !linked["#"+h] {
			t.Errorf("the README's contents lack #%s", h)
		}
	}
	for _, path := range pages {
		if name := "docs/" + filepath.Base(path); !linked[name] {
			t.Errorf("the README does not name %s", name)
		}
	}
}
