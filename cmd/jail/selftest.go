package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// selftestOptions is what the flags of `jail selftest` said.
type selftestOptions struct {
	only     []string
	list     bool
	tier     jail.Tier
	timeout  time.Duration
	parent   string
	optional []string
}

func selftestFlags() []flagDef {
	return []flagDef{
		{name: "only", value: "NAME", many: true, group: groupAttacks,
			usage: "carry out this family of attacks, or this row, alone; --list has the names", accept: "the name of a family or row",
			set: added(asIs[string], func(o *options) *[]string { return &o.selftest.only })},
		{name: "list", group: groupAttacks, usage: "print the attacks and where each is on record; carry nothing out",
			set: on(func(o *options) *bool { return &o.selftest.list })},
		{name: "tier", value: "1|2", group: groupAttacks, accept: "1 or 2", preset: "1", words: wordChoice, values: []string{"1", "2"},
			usage: "the boxes that are attacked; 2 are those without namespaces",
			set:   parsed(tier, func(o *options) *jail.Tier { return &o.selftest.tier })},
		{name: "cgroup-parent", value: "PATH", group: groupAttacks,
			usage: "the cgroup below which the boxes' own are made", accept: "a path, relative to the cgroup mount", preset: "jail's own cgroup",
			set: parsed(asIs[string], func(o *options) *string { return &o.selftest.parent })},
		{name: "optional", value: "LAYER,…", many: true, group: groupAttacks, words: wordChoice, values: layerNames(),
			usage: "layers that the boxes may lack here; without one that is not named the status is 1", accept: "of landlock, seccomp and cgroup",
			set: mayLack},
		{name: "timeout", value: "TIME", group: groupAttacks, accept: acceptTime, preset: "2m",
			usage: "how long all of it may take; what was not carried out by then is unproven",
			set:   parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.selftest.timeout })},
		{name: "json", group: groupResult, usage: "print one document of schema jail-selftest/1 instead",
			set: on(func(o *options) *bool { return &o.json })},
		helpFlag(),
	}
}

// mayLack is --optional of a selftest, whose companion has no Spec to find a wrong name in.
func mayLack(o *options, v string) error {
	if err := commas(func(o *options) *[]string { return &o.selftest.optional })(o, v); err != nil {
		return err
	}
	for _, l := range strings.Split(v, ",") {
		if _, err := oneOf(layerNames()...)(l); err != nil {
			return err
		}
	}
	return nil
}

// groupAttacks is the heading of the flags in `jail help selftest`.
const groupAttacks = "What is carried out"

// selftestCommand is `jail selftest`. It becomes its companion: what can take walls
// down is not in this binary.
func selftestCommand(args []string) int {
	o := options{selftest: selftestOptions{tier: jail.Tier1, timeout: 2 * time.Minute}}
	words, status, ok := plainArgs("selftest", args, &o)
	refused := !ok && status == exitRefused
	if len(words) > 0 {
		fmt.Fprintln(os.Stderr, "jail: selftest: takes no arguments; one attack alone is --only "+quote(words[0]))
		ok, refused, status = false, true, exitRefused
	}
	// Which names there are the companion knows, and it writes the document.
	if !ok && (!refused || len(o.selftest.only) == 0 && !o.json) {
		return status
	}
	err := stdoutIsThere()
	if err == nil {
		err = companion.Exec("selftest", companion.Selftest{
			Version: ownVersion(), Only: o.selftest.only, List: o.selftest.list, Refused: refused, JSON: o.json, Tier: int(o.selftest.tier), Timeout: o.selftest.timeout,
			CgroupParent: o.selftest.parent, Optional: o.selftest.optional,
		})
	}
	fmt.Fprintln(os.Stderr, "jail: selftest:", err)
	return exitRefused
}

const helpSelftest = `Attacks boxes on this host, to show that their walls hold here: on this kernel,
with this configuration, for this user. The attacks are those of the project's
own tests, many of them escapes from other sandboxes; each names its source.

Each is carried out bare, where it must succeed; in a box, where it must fail;
and in a box without exactly the walls that are said to stop it, where it must
succeed again. So a line that says held says by which walls, and that was tried.

It says first what it will do, attacks nothing but what it made itself, and
takes all of it away again; if it is killed, the next one of the same user does
that. A machine in use may run it: what such a machine would feel is carried out
boxed alone, and the line says so. Walls are taken down for these attacks alone:
no flag of any command does it.

A layer that jail run asks for, and that this host does not give you, is named
before the first attack, as no wall: jail run refuses there, unless --optional
names the layer. The other walls are attacked all the same. With --optional here
as well, boxes without it are what is tested, and what is claimed.

Exit status: 0 if every wall is what is claimed, 1 if an attack got through, a
row proved nothing, a layer is missing that --optional does not name or the time
was up, 125 if nothing could be carried out. Rows that this host, or who you
are, gives nothing to attack for are skipped, with the reason, and are no fault.

  jail selftest
  jail selftest --list
  jail selftest --only pid1 --only 'files/climb out with ..'
  jail selftest --optional cgroup
  sudo jail selftest --json >selftest.json
`
