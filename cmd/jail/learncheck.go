package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"github.com/seed-75010da9/jail/profiles"
)

// check runs the program in the watching box and then as the profile has it; and where it
// says or writes something else then, in the watching box again, since it may do so each
// time.
func (l *learner) check(spec, enforced jail.Spec) int {
	watched, ok := l.run(spec)
	l.tellMade()
	if !ok {
		return exitRefused
	}
	before := l.wrote(watched)
	res, ok := l.run(enforced)
	if !ok {
		return exitRefused
	}
	c := learn.Compare(spec, watched, enforced, res)
	if here := l.wrote(res); c.Same && !here.Same(before) { // which may be so each time
		again, ok := l.run(spec)
		if !ok {
			return exitRefused
		}
		c.Tell(learn.Otherwise(before, here, l.wrote(again)))
	}
	text := comparison(c, res)
	if l.o.json {
		line, err := oneLine(c)
		if err != nil {
			fmt.Fprintln(os.Stderr, "jail: learn:", err)
			return exitRefused
		}
		text = string(line)
	}
	if code := print(text); code != exitOK {
		return code
	}
	if !c.Same {
		return 1
	}
	return exitOK
}

// wrote is what the program wrote when it was run last.
func (l *learner) wrote(res jail.Result) learn.Left {
	left := learn.Left{saidOut: l.said[0], saidErr: l.said[1]}
	left.Wrote(res.Used)
	return left
}

// checkNext is what to do with a profile that was written: the command line in it is
// whole, with every flag that the watching box had.
func (l *learner) checkNext(args []string) string {
	file := l.o.learn.out
	if !strings.Contains(file, "/") { // which may be a profile's name
		file = "./" + file
	}
	words := []string{"jail", "learn", flagWord("check", file)}
	first := "read it, then: "
	for _, s := range l.line.settings {
		switch {
		case s.def.name == "out" || s.def.name == "runs":
		case s.def.name == "stdin" && !l.stdin.again():
			first = "read it, then, with what it read in INPUT: "
			words = append(words, flagWord("stdin", "INPUT"))
		case s.def.value == "":
			words = append(words, "--"+s.def.name)
		default:
			words = append(words, flagWord(s.def.name, s.value))
		}
	}
	words = append(words, "--")
	for _, arg := range args {
		words = append(words, shellword.Quote(arg))
	}
	return first + strings.Join(words, " ")
}

// flagWord is a flag with its value, as one types it.
func flagWord(name, value string) string {
	between := " "
	if strings.HasPrefix(value, "-") { // which may be another flag's name
		between = "="
	}
	return "--" + name + between + shellword.Quote(value)
}

// enforced is the Spec of the profile that is checked, with nothing of the watching
// box, which must not be able to write another one. The program starts in the folder in which
// it is watched, if the profile shows that. What is wrong with it is among the line's faults.
func (l *learner) enforced(args []string, watched jail.Spec) jail.Spec {
	name := l.o.learn.check
	p, err := profiles.Load(name, l.host)
	if err != nil {
		l.line.errors(err, "--check", name, l.o)
		return jail.Spec{}
	}
	for _, file := range p.Files() {
		if err := outOfReach(l.host, file, watched.View); err != nil {
			l.line.fault("--check", name, reason(err))
			return jail.Spec{}
		}
	}
	if len(args) == 0 {
		return jail.Spec{}
	}
	over := profiles.Overrides{Tier: l.o.over.Tier, Optional: l.o.over.Optional, Env: l.o.over.Env, PassEnv: l.o.over.PassEnv, Name: l.o.over.Name, CgroupParent: l.o.over.CgroupParent, OwnInterpreter: true}
	over.Cwd = watched.Dir // from which the command may name its files
	spec, err := p.Spec(args, over, l.host)
	if !shows(spec.View, watched.Dir) {
		over.Cwd = ""
		spec, err = p.Spec(args, over, l.host)
	}
	if err != nil {
		l.line.errors(err, "--check", name, l.o)
		return spec
	}
	l.line.found(jail.Check(spec), spec, options{over: over})
	spec.Trace = true
	return spec
}

// shows says whether there is a folder in a view.
func shows(view []jail.Mount, dir string) bool {
	below := func(p, top string) bool { return p == top || strings.HasPrefix(p, strings.TrimSuffix(top, "/")+"/") }
	return filepath.IsAbs(dir) && slices.ContainsFunc(view, func(m jail.Mount) bool { return below(m.Target, dir) || below(dir, m.Target) })
}

// comparison is c for people.
func comparison(c learn.Comparison, enforced jail.Result) string {
	if c.Same {
		return "the same: " + visible(learn.Ending(enforced)) + "\n"
	}
	var b strings.Builder
	for _, d := range c.Differences {
		b.WriteString("differs: " + visible(d) + "\n")
	}
	for _, d := range c.Denials {
		if d.Setting != "" {
			b.WriteString("  to allow " + visible(d.What+": "+d.Setting) + "\n")
		}
	}
	return b.String()
}
