package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"github.com/seed-75010da9/jail/profiles"
)

const (
	groupLearn = "What is learned"
	// mostRuns bounds --runs.
	mostRuns = 100
)

type learnOptions struct {
	out, check string
	runs       int64
}

// learnFlags are those of run that mean something here, and learn's own.
func learnFlags() []flagDef {
	flags := slices.DeleteFunc(runFlags(), func(f flagDef) bool {
		return slices.Contains([]string{"via", "tty", "stdin", "record", "timings", "trace", "output-mode"}, f.name)
	})
	return append(flags,
		flagDef{name: "out", value: "FILE", group: groupLearn, words: wordFile,
			usage: "write the profile there", accept: "a file that can be written, outside of what the program may write", preset: "standard output",
			set: parsed(asIs[string], func(o *options) *string { return &o.learn.out })},
		flagDef{name: "runs", value: "N", group: groupLearn,
			usage: "how many times to run it", accept: "a whole number of 1 to 100", preset: "1",
			set: parsed(profiles.ParseCount, func(o *options) *int64 { return &o.learn.runs })},
		flagDef{name: "check", value: "NAME|FILE", group: groupLearn, words: wordProfile,
			usage: "write nothing: run it with this profile enforced as well, and say what differs", accept: "the name of a profile or the path of a .toml file",
			set: parsed(asIs[string], func(o *options) *string { return &o.learn.check })})
}

// A learner is one `jail learn`.
type learner struct {
	o    options
	line *commandLine
	host profiles.Host
	ctx  context.Context
}

func learnCommand(args []string) int {
	ctx := watchSignals()
	o, line := parseWith(learnFlags(), args)
	if o.help {
		return printHelp("learn")
	}
	l := &learner{o: o, line: line, host: profiles.CurrentHost(), ctx: ctx}
	args = line.rest
	l.watchHere()
	spec := line.compose(l.o, l.host, nil)
	spec.Trace = true
	out := l.outFile(spec)
	l.checkOwn()
	line.lookAtHost(spec, l.o)
	if len(line.faults) > 0 {
		printFaults(line.faults)
		return exitRefused
	}
	if o.learn.check != "" {
		return l.check(spec, args)
	}
	return l.learn(spec, args, out)
}

// watchHere grants the folder that the caller is in, where no flag says what to
// show. The home itself is never meant.
func (l *learner) watchHere() {
	over := &l.o.over
	if over.Net == "" && over.Tier != jail.Tier2 {
		over.Net = jail.NetLoopback
	}
	over.Limits = learn.Watching(over.Limits)
	if over.Workspace != "" || len(over.RO) > 0 || len(over.RW) > 0 {
		return
	}
	dir := filepath.Clean(l.host.Dir)
	if home := filepath.Clean(l.host.Home); l.host.Dir == "" || dir == "/" || l.host.Home != "" && (dir == home || strings.HasPrefix(home, dir+"/")) {
		l.line.fault("the working directory", l.host.Dir, "must be the folder of a project: home as a whole is not shown. Go to one, or name folders with --workspace, --ro or --rw")
		return
	}
	over.RW = append(over.RW, profiles.Grant{Host: dir})
	if over.Cwd == "" {
		over.Cwd = dir
	}
}

// checkOwn finds what is wrong with learn's own flags together.
func (l *learner) checkOwn() {
	own := &l.o.learn
	if own.out != "" && own.check != "" {
		l.line.fault("--out, --check", "", "give one of them: a check writes no profile")
	}
	if own.runs > mostRuns {
		l.line.fault("--runs", fmt.Sprint(own.runs), "must be 1 to "+fmt.Sprint(mostRuns))
	}
	own.runs = max(own.runs, 1)
}

// outFile opens the folder of --out before anything runs.
func (l *learner) outFile(spec jail.Spec) *profileFile {
	if l.o.learn.out == "" {
		return nil
	}
	err := outOfReach(l.host, l.o.learn.out, spec.View)
	var f *profileFile
	if err == nil {
		f, err = openProfileFile(l.host, l.o.learn.out)
	}
	if err != nil {
		l.line.fault("--out", l.o.learn.out, reason(err))
	}
	return f
}

// run runs the program once, with its output on standard error.
func (l *learner) run(spec jail.Spec) (jail.Result, bool) {
	connections := jail.IO{Stdout: os.Stderr, Stderr: os.Stderr}
	if l.o.quiet || l.o.json {
		connections = jail.IO{}
	}
	res, err := jail.RunIO(l.ctx, spec, connections)
	var faults jail.Faults
	switch {
	case errors.As(err, &faults):
		printFaults(l.line.named(faults, spec, l.o))
	case err != nil || res.Reason == jail.ReasonCanceled:
		printOutcome(os.Stderr, res, false, false)
	default:
		return res, true
	}
	return res, false
}

func (l *learner) learn(spec jail.Spec, args []string, out *profileFile) int {
	given, ok := l.given(args)
	if !ok {
		printFaults(l.line.faults)
		return exitRefused
	}
	var runs []learn.Watched
	status := exitOK
	for range l.o.learn.runs {
		res, ok := l.run(spec)
		if !ok {
			return exitRefused
		}
		if !res.OK {
			status = 1
			fmt.Fprintln(os.Stderr, visible("jail: it ended: "+learn.Ending(res)+": "+res.Message))
		}
		runs = append(runs, learn.Watched{Spec: spec, Result: res, Given: given})
	}
	learned := learn.From(l.extends(), args, runs)
	if out != nil {
		if err := out.write(learned.TOML()); err != nil {
			fmt.Fprintln(os.Stderr, "jail: --out:", err)
			return exitRefused
		}
		if !l.o.quiet {
			fmt.Fprintln(os.Stderr, visible(fmt.Sprintf("jail: wrote %s; read it, then: jail learn --check %s … -- %s", l.o.learn.out, l.o.learn.out, strings.Join(args, " "))))
		}
		return status
	}
	if code := print(learned.TOML()); code != exitOK {
		return code
	}
	return status
}

// given is what the profile and the command bring along without any flag.
func (l *learner) given(args []string) ([]jail.Mount, bool) {
	p, err := profiles.Load(l.extends(), l.host)
	if err != nil {
		l.line.errors(err, "--profile", l.extends(), l.o)
		return nil, false
	}
	spec, err := p.Spec(args, profiles.Overrides{Tier: l.o.over.Tier}, l.host)
	if err != nil {
		l.line.errors(err, "--profile", l.extends(), l.o)
		return nil, false
	}
	return spec.View, true
}

// extends is the profile that the learned one adds to.
func (l *learner) extends() string {
	name := l.o.profile
	if name == "" {
		return defaultProfile
	}
	if strings.Contains(name, "/") || strings.HasSuffix(name, ".toml") {
		if abs, err := filepath.Abs(name); err == nil {
			return abs
		}
	}
	return name
}
