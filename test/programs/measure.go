package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// A row is what came of one program.
type row struct {
	program
	missing string // why it was left out
	absent  bool   // that is because it is not on this machine

	bare    jail.Result // in a box without a grant
	learned string      // the profile
	ended   string      // how the watched run did
	check   string      // what --check says
	same    bool        // enforced, it ends as it does watched
	heard   jail.Result // enforced, without --trace
	traced  jail.Result // enforced, with it
}

// perRun bounds each run. Building Go's own library in one is the longest.
const perRun = "3m"

// bareFlags are the limits of the box without a grant, besides perRun.
const bareFlags = "--memory 1G --pids 256 --output 16M"

// measure runs a program in a folder of its own, which is made there, or is a copy of
// one that is prepared.
func measure(binary, dir, prepared string, p program) row {
	r := row{program: p, absent: prepared == "" && !p.there()}
	if prepared != "" {
		if out, err := exec.Command("cp", "-a", filepath.Join(prepared, p.name), dir).CombinedOutput(); err != nil {
			r.missing = "could not be copied: " + lastLine(out)
		}
	} else {
		r.missing = p.make(dir)
	}
	if r.missing != "" {
		return r
	}
	profile := filepath.Join(filepath.Dir(dir), strings.ReplaceAll(p.name, " ", "-")+".toml")
	base := []string{"--timeout", perRun}
	if p.profile != "" {
		base = append(base, "--profile", p.profile)
	}
	command := append([]string{"--"}, p.args...)
	r.bare = record(dir, binary, slices.Concat([]string{"run", "--json", "--trace"}, strings.Fields(bareFlags), []string{"--tmpfs", dir, "--cwd", "."}, base, command))
	if out, err := in(dir, binary, slices.Concat([]string{"learn", "-q", "--out", profile}, base, p.flags, command)...); err != nil && !made(profile) {
		r.missing = "nothing was learned: " + lastLine(out)
		return r
	}
	text, _ := os.ReadFile(profile)
	r.learned, r.ended = string(text), ending(string(text))
	out, err := in(dir, binary, slices.Concat([]string{"learn", "-q", "--check", profile}, base, p.flags, command)...)
	r.check, r.same = strings.TrimSpace(string(out)), err == nil
	enforced := []string{"run", "--json", "--profile", profile}
	if strings.Contains(r.learned, " --cwd ") {
		enforced = append(enforced, "--cwd", ".")
	}
	r.heard = record(dir, binary, append(enforced, command...))
	r.traced = record(dir, binary, slices.Concat(enforced[:2:2], []string{"--trace"}, enforced[2:], command))
	return r
}

// wrong is what is not as it must be of a row, or "". That a program is not on this
// machine says nothing of jail.
func (r row) wrong() string {
	ends := cmp.Or(r.ends, "ok 0")
	watched, heard, traced := strings.Replace(r.ended, ", exit code ", " ", 1), verdict(r.heard), verdict(r.traced)
	switch {
	case r.absent:
	case r.missing != "":
		return r.missing
	case watched != ends:
		return fmt.Sprintf("in the watching box it ended: %s, want %s", watched, ends)
	case !r.same:
		return "enforced it differs: " + first(r.check)
	case heard != ends:
		return fmt.Sprintf("enforced it ended: %s, want %s", heard, ends)
	case traced != ends:
		return fmt.Sprintf("enforced and traced it ended: %s, want %s", traced, ends)
	}
	return ""
}

// make makes the job's folder, and is why it could not be made.
func (p program) make(dir string) (missing string) {
	if !p.there() {
		return "not on this machine"
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err.Error()
	}
	if out, err := in(dir, "/bin/sh", "-ec", p.prepare); err != nil {
		return "could not be prepared: " + lastLine(out)
	}
	return ""
}

func made(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func in(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// record runs jail and reads its record.
func record(dir, binary string, args []string) jail.Result {
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	out, _ := cmd.Output()
	var r jail.Result
	if err := json.Unmarshal(bytes.TrimSpace(out), &r); err != nil {
		r.Message = err.Error()
	}
	return r
}

func ending(profile string) string {
	for line := range strings.Lines(profile) {
		if _, how, ok := strings.Cut(line, "ended: "); ok && strings.HasPrefix(line, "#") {
			return strings.TrimSuffix(strings.TrimSpace(how), ".")
		}
	}
	return ""
}

// verdict is what a caller branches on.
func verdict(r jail.Result) string {
	code := ""
	if r.ExitCode != nil {
		code = fmt.Sprint(" ", *r.ExitCode)
	}
	return string(r.Reason) + code
}

// grants counts the lines of a list in a profile.
func grants(profile, key string) (n int) {
	_, rest, ok := strings.Cut(profile, "\n"+key+" = [\n")
	if !ok {
		return 0
	}
	list, _, _ := strings.Cut(rest, "\n]")
	return strings.Count(list, "\n") + 1
}

// denials are those that say something of the program, cut to a few: what is only
// looked at outside of the job's folder, and what every program looks for below /etc and /usr, is not among them.
func denials(r jail.Result, most int) []string {
	var list []string
	for _, d := range r.Denials {
		path := strings.HasPrefix(d.Source, "paths")
		if d.Errno == "" || path && (strings.HasPrefix(d.What, "looking") && !strings.Contains(d.What, "/jail-programs-") || strings.HasPrefix(d.What, "reading \"/etc") || strings.HasPrefix(d.What, "reading \"/usr") || strings.HasPrefix(d.What, "reading \"/proc") || strings.HasPrefix(d.What, "reading \"/sys")) {
			continue
		}
		list = append(list, d.What)
	}
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("… %d more", len(list)-most))
	}
	return list
}
