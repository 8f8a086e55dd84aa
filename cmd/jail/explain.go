package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-75010da9/jail/jail"
)

// explainCommand is `jail explain`: the flags of run, and the plan instead of
// a run. --record and --stdin are not opened.
func explainCommand(args []string) int {
	o, spec, faults := compose(args)
	if o.help {
		return printHelp("explain")
	}
	var plan *jail.Plan
	var err error
	if len(faults) == 0 {
		plan, err = jail.Explain(spec)
		if errors.As(err, &faults) {
			faults = namedByFlag(faults, spec)
		}
	}
	if len(faults) > 0 {
		var target *recordTarget
		if o.json {
			target = &recordTarget{file: os.Stdout}
		}
		return refuse(spec, faults, target)
	}
	if err != nil {
		printError(err)
		return exitRefused
	}
	if !o.json {
		return print(plan.Text())
	}
	line, err := oneLine(plan)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jail: explain:", err)
		return exitRefused
	}
	return print(string(line))
}
