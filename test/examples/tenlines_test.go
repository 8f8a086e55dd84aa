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
		dir := t.TempDir()
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		commands := map[string][]string{"agent.mjs": {"node"}, "agent.py": {"python3"}, "agent.sh": {"sh"}}
		if _, err := exec.LookPath("rustc"); err == nil {
			commands["agent.rs"] = nil
		}
		for file, command := range commands {
			path := dir + "/" + file
			if err := os.WriteFile(path, []byte(p.files[file]), 0o644); err != nil {
				t.Fatal(err)
			}
			if command = append(command, path); file == "agent.rs" {
				command = []string{dir + "/agent"}
				if out, err := exec.Command("rustc", "-o", command[0], path).CombinedOutput(); err != nil {
					t.Fatalf("rustc: %v: %s", err, out)
				}
			}
			for _, half := range halfRecords()[4:] { // those of a jail that was killed, and of another version
				if strings.HasSuffix(half, "1}\n") { // a newline is only behind a whole one
					continue
				}
				if err := os.WriteFile(dir+"/jail", []byte("#!/bin/sh\ncat >/dev/null\nprintf %s '"+half+"'\n"), 0o755); err != nil {
					t.Fatal(err)
				}
				if out, _ := exec.Command(command[0], command[1:]...).Output(); strings.Contains(string(out), "value: ") && !strings.HasPrefix(string(out), "to the model: ") {
					t.Errorf("%s takes %q for an answer: %s", file, half, out)
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
