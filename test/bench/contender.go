package main

import "slices"

// A job is what every contender of a table runs.
type job struct {
	argv []string // a program below /usr and its arguments
	show []string // what the box shows besides, read-only, at its own absolute path
	// profile is the one that jail takes for an interpreter: it then is given
	// the script, and grants it by itself.
	profile string
	flags   []string // of `jail run`
}

// A contender is one row of a table.
type contender struct {
	name string
	slow bool
	cmd  command
}

const (
	bare       = "bare"
	floorRule  = "C floor + filter"
	bubbleRule = "bubblewrap + filter"
	jailName   = "jail"
)

// bases are what ratios are to: what people use today, and the least that a box
// of this strength can cost.
func bases() []string { return []string{bubbleRule, floorRule} }

// contenders are those present, as each of them runs j.
func (b *bench) contenders(j job) ([]contender, error) {
	var list []contender
	for _, l := range b.launchers {
		cmd, err := l.command(b, l.path, j)
		if err != nil {
			return nil, err
		}
		if l.in != nil {
			cmd.in, cmd.note = l.in, l.inNote
		}
		list = append(list, contender{l.name, l.slow, cmd})
	}
	return list, nil
}

// pick keeps the contenders with one of the names.
func pick(list []contender, names ...string) []contender {
	return slices.DeleteFunc(slices.Clone(list), func(c contender) bool { return !slices.Contains(names, c.name) })
}

// drop takes those with one of the names out.
func drop(list []contender, names ...string) []contender {
	return slices.DeleteFunc(slices.Clone(list), func(c contender) bool { return slices.Contains(names, c.name) })
}

// brisk leaves the slow ones out.
func brisk(list []contender) []contender {
	return slices.DeleteFunc(slices.Clone(list), func(c contender) bool { return c.slow })
}
