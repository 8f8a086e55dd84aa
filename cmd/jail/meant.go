package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// profileOf is the profile that runs a file, by how its name ends, or "".
func profileOf(name string) string {
	switch filepath.Ext(name) {
	case ".js", ".mjs", ".cjs":
		return "node"
	case ".py":
		return "python"
	case ".sh":
		return "sh"
	case ".wasm":
		return "wasm"
	}
	return ""
}

// tellMeant says of a program that could not be executed what was meant by the line, as far
// as the words of it and the caller's folder tell. Of a module its engine has said it.
func (c *commandLine) tellMeant(res *jail.Result, host profiles.Host, o options) {
	if res.Reason != jail.ReasonExecFailed || res.Refusal == nil || res.Error != nil || strings.Contains(res.Message, ": the file is there, and names ") {
		return
	}
	var hints []string
	if hint := c.fileMeant(host, o); hint != "" {
		hints = append(hints, hint)
	}
	if flag := c.behindProgram(); flag != "" {
		hints = append(hints, flag+" stands behind the program, where it is the program's: flags of jail go before it")
	}
	if c.bare {
		hints = append(hints, `the profile extends none and shows no program: extends = "base" has the system's`)
	}
	if len(hints) > 0 {
		res.Hint = strings.Join(hints, "; ")
		res.Refusal.Remedy = res.Hint
	}
}

// fileMeant is for a program's name that is a file's in the caller's folder.
func (c *commandLine) fileMeant(host profiles.Host, o options) string {
	name := c.rest[0]
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(host.Dir, file)
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	by, executable := profileOf(name), info.Mode()&0o111 != 0
	switch {
	case by != "" && o.profile == "":
		return "--profile " + by + " runs it: jail run --profile " + by + " " + shellword.Quote(name)
	case !executable && !filepath.IsAbs(name): // whoever names /etc/passwd means something else
		hint := "the file may not be executed: chmod +x " + shellword.Quote(name)
		if o.over.Tier == jail.Tier2 {
			hint += ", outside of a box, since one of tier 2 changes no file's mode: what a compiler makes there is not executable"
		}
		return hint
	case !strings.Contains(name, "/"):
		return "a name alone is looked for in PATH: " + shellword.Quote("./"+name) + " is the file here"
	}
	return ""
}

// behindProgram is the first flag of jail's own among the arguments of the program, or "".
func (c *commandLine) behindProgram() string {
	for _, arg := range c.rest[1:] {
		if name, _, _ := strings.Cut(arg, "="); name != "--" && isFlag(runFlags(), arg) {
			return name
		}
	}
	return ""
}
