package examples

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestTenLines: from code to a value it takes ten lines in each language, besides what
// imports and encloses, and what comes of them is what the page says.
func TestTenLines(t *testing.T) {
	frame := regexp.MustCompile(`^(\s*([})\]]*|import .*|use .*|package .*|//.*|"[a-z/]+"|\)?|import \(|(func|fn) main\(\).*|Ok\(\(\)\))\s*)$`)
	p := readPage(t, "../../docs/agents.md")
	for _, file := range []string{"agent.mjs", "agent.py", "agent.go", "agent.rs", "agent.sh"} {
		lines := 0
		for _, line := range strings.Split(p.files[file], "\n") {
			if !frame.MatchString(line) {
				lines++
			}
		}
		if lines == 0 || lines > 10 {
			t.Errorf("%s has %d lines, want at most 10", file, lines)
		}
	}
	t.Run("half a record", func(t *testing.T) {
		dir, commands := p.agents(t)
		for file, command := range commands {
			for _, half := range halfRecords()[4:] { // those of a jail that was killed, and of another version
				if strings.HasSuffix(half, "1}\n") { // a newline is only behind a whole one
					continue
				}
				standIn(t, dir, half)
				if out, _ := exec.Command(command[0], command[1:]...).Output(); len(out) > 0 {
					t.Errorf("%s takes %q for an answer: %s", file, half, out)
				}
			}
		}
	})
	t.Run("for the operator", func(t *testing.T) {
		dir, commands := p.agents(t)
		for file, command := range commands {
			for _, reason := range []string{"setup_refused", "internal_error"} {
				standIn(t, dir, `{"schema":"jail/1","tier":1,"reason":"`+reason+`","ok":false,"message":"no group","hint":"make one","stdout":{"text":""}}`+"\n")
				agent := exec.Command(command[0], command[1:]...)
				var told strings.Builder
				agent.Stderr = &told
				out, err := agent.Output()
				if err != nil || len(out) > 0 || !strings.HasPrefix(told.String(), "to the operator: ") || !strings.Contains(told.String(), "no group") || !strings.Contains(told.String(), "make one") {
					t.Errorf("%s, of %s: %v, %q, and to the operator %q", file, reason, err, out, told.String())
				}
			}
		}
	})
	t.Run("rust", func(t *testing.T) {
		needProgram(t, "rustc")
		dir := t.TempDir()
		for from, want := range map[string]string{
			"":                 `to the model: {"schema":"jail/1",`,
			`[{"a": "x\"}y"}]`: `value: "x\"}y"` + "\n",
		} {
			source := p.files["agent.rs"]
			if from != "" {
				source = strings.Replace(source, `"input": []`, `"input": `+from, 1)
			}
			if err := os.WriteFile(dir+"/agent.rs", []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("rustc", "-o", dir+"/agent", dir+"/agent.rs").CombinedOutput(); err != nil {
				t.Fatalf("rustc: %v: %s", err, out)
			}
			if out, err := exec.Command(dir + "/agent").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), want) || from == "" && !strings.Contains(string(out), "TypeError") {
				t.Errorf("agent.rs: %v, %s, want %s", err, out, want)
			}
		}
	})
}

// agents are the commands of the page's programs, which find the jail in dir first.
func (p page) agents(t *testing.T) (dir string, commands map[string][]string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	commands = map[string][]string{"agent.mjs": {"node", dir + "/agent.mjs"}, "agent.py": {"python3", dir + "/agent.py"}, "agent.go": {dir + "/of-go"}}
	build := map[string][]string{"agent.go": {"go", "build", "-o", dir + "/of-go", dir + "/agent.go"}}
	if _, err := exec.LookPath("jq"); err == nil {
		commands["agent.sh"] = []string{"sh", dir + "/agent.sh"}
	}
	if _, err := exec.LookPath("rustc"); err == nil {
		commands["agent.rs"] = []string{dir + "/of-rust"}
		build["agent.rs"] = []string{"rustc", "-o", dir + "/of-rust", dir + "/agent.rs"}
	}
	for file := range commands {
		if err := os.WriteFile(dir+"/"+file, []byte(p.files[file]), 0o644); err != nil {
			t.Fatal(err)
		}
		if command, ok := build[file]; ok {
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", file, err, out)
			}
		}
	}
	return dir, commands
}

// standIn puts a jail into dir that leaves nothing but the record, or what there is of it.
func standIn(t *testing.T, dir, record string) {
	t.Helper()
	if err := os.WriteFile(dir+"/jail", []byte("#!/bin/sh\ncat >/dev/null\nprintf %s '"+record+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
