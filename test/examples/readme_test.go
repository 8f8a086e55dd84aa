package examples

import (
	"os"
	"os/exec"
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

// TestReadmeLinks: what the README points to within itself is there.
func TestReadmeLinks(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{} // and whether it is one of the first rank
	for _, h := range regexp.MustCompile(`(?m)^##(#?) (.*)$`).FindAllStringSubmatch(string(text), -1) {
		plain := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(h[2]), "")
		headings[strings.ReplaceAll(plain, " ", "-")] = h[1] == ""
	}
	links := regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(string(text), -1)
	if len(links) < 10 {
		t.Errorf("there are %d links, want 10 at least", len(links))
	}
	linked := map[string]bool{}
	for _, l := range links {
		linked[l[1]] = true
		if _, ok := headings[l[1]]; !ok {
			t.Errorf("#%s is no heading of the README", l[1])
		}
	}
	for h, first := range headings {
		if first && !linked[h] {
			t.Errorf("the contents lack #%s", h)
		}
	}
}
