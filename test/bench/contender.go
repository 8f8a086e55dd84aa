package main

import "os"

// A contender is one row of a table.
type contender struct {
	name string
	cmd  command
}

const (
	bare       = "bare"
	floorName  = "C floor + filter"
	bubble     = "bubblewrap"
	bubbleRule = "bubblewrap + filter" // what ratios are to
	jailName   = "jail"
)

// contenders are those present that run argv, a program below /usr. script, if
// not empty, is a file that all of them show to the program; jail is given the
// profile's own way to name it.
func (b *bench) contenders(argv []string, script string, jailArgs []string) []contender {
	list := []contender{{bare, command{argv: argv}}}
	if b.floor != "" && script == "" {
		list = append(list,
			contender{"C floor", command{argv: concat([]string{b.floor}, argv)}},
			contender{floorName, command{argv: concat([]string{b.floor, "-f", b.filter}, argv)}})
	}
	if b.bwrap != "" {
		options := concat([]string{b.bwrap}, b.bubbleOptions)
		if script != "" {
			options = append(options, "--ro-bind", script, script)
		}
		list = append(list,
			contender{bubble, command{argv: concat(options, []string{"--"}, argv)}},
			contender{bubbleRule, command{argv: concat(options, []string{"--seccomp", "3", "--"}, argv), third: b.filter, flags: os.O_RDONLY}})
	}
	return append(list, contender{jailName, b.jailRun(jailArgs...)})
}

// jailRun is `jail run` with everything on and its record appended to a file.
func (b *bench) jailRun(args ...string) command {
	return command{argv: concat([]string{b.jail, "run", "-q", "--record", "fd:3"}, args),
		third: b.record, flags: os.O_WRONLY | os.O_APPEND | os.O_CREATE, wantsWord: true}
}

func concat(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// pick keeps the contenders with one of the names.
func pick(list []contender, names ...string) []contender {
	var kept []contender
	for _, c := range list {
		for _, n := range names {
			if c.name == n {
				kept = append(kept, c)
			}
		}
	}
	return kept
}
