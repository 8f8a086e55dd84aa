package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// explainCommand is `jail explain`: the flags of run, and the plan instead of
// a run. --record and --stdin are not opened, and --tty needs no terminal.
func explainCommand(args []string) int {
	o, line := parseWith(explainFlags(), args)
	if o.help {
		return printHelp("explain")
	}
	if o.why != "" {
		return whyCommand(o, line)
	}
	host := profiles.CurrentHost()
	limit := limitSetup(options{json: o.json, over: o.over}, host)
	spec := line.compose(o, host, limit)
	line.lookAtHost(spec, o)
	faults := line.faults
	var plan *jail.Plan
	var err error
	if len(faults) == 0 {
		plan, err = jail.ExplainIO(spec, shownIO(o))
		if errors.As(err, &faults) {
			faults = line.named(faults, spec, o)
		}
	}
	limit.over()
	if len(faults) > 0 {
		var target *recordTarget
		if o.json {
			if target, err = toStdout(); err != nil {
				printError(err)
			}
		}
		return refuse(spec, faults, jail.StageValidate, target)
	}
	if err != nil {
		printError(err)
		return exitRefused
	}
	if !o.json {
		return print(plan.Text())
	}
	text, err := oneLine(plan)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jail: explain:", err)
		return exitRefused
	}
	return print(string(text))
}

// shownIO is an IO like that of the run: the plan depends on what there is of it.
func shownIO(o options) (io jail.IO) {
	if o.stdin != "" || o.tty {
		io.Stdin = os.Stdin
	}
	if o.tty {
		io.TTY = os.Stdin
	}
	return io
}
