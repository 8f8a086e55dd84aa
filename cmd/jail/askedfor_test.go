package main

import (
	"fmt"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// Ten times the faulty grants are ten times the work, not a hundred or a thousand, whether
// flags asked for them or a profile did: counted in allocations, which depend on no clock.
func TestNamingFaultsIsLinear(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, by := range []string{"flags", "the profile"} {
		work := func(n int) float64 {
			var o options
			var spec jail.Spec
			var faults jail.Faults
			for i := range n {
				name := fmt.Sprintf("none/%d", i)
				if by == "flags" {
					o.over.RO = append(o.over.RO, profiles.Grant{Host: name})
				}
				spec.View = append(spec.View, jail.Mount{Kind: jail.MountRO, Source: "/" + name, Target: "/" + name})
				faults = append(faults, jail.Fault{Field: fmt.Sprintf("view[%d].source", i), Value: name, Want: "must be"})
			}
			o.over.Workspace = "w"
			return testing.AllocsPerRun(1, func() {
				if named := new(commandLine).named(faults, spec, o); len(named) != n || named[n-1].Field != "view.ro" {
					t.Fatalf("%d faults of %d grants, the last %+v", len(named), n, named[len(named)-1])
				}
			})
		}
		few, many := work(10), work(100)
		if many > 15*few {
			t.Errorf("by %s: %.0f allocations for 10 faulty grants and %.0f for 100", by, few, many)
		}
	}
}

// The grant that opens a hole is called what asked for it, whatever words its path holds.
func TestOtherGrant(t *testing.T) {
	const odd = "/x gives: it shows it off"
	spec := jail.Spec{View: []jail.Mount{
		{Kind: jail.MountRW, Source: "/w", Target: "/w"}, {Kind: jail.MountRO, Source: "/p", Target: "/q"},
		{Kind: jail.MountRO, Source: "/f", Target: "/f"}, {Kind: jail.MountRO, Source: odd, Target: odd},
	}}
	o := options{over: profiles.Overrides{Workspace: "/w", RO: []profiles.Grant{{Host: "/f"}}}}
	for named, want := range map[string]string{
		"--rw /w":            "--workspace /w",
		"--ro /p:/q":         "view.ro of the profile, /p:/q,",
		"--ro /f":            "--ro /f",
		"--ro '" + odd + "'": "view.ro of the profile, '" + odd + "',",
	} {
		const before, after = "must not be, since it takes away what the grant around it gives: ", " shows it writable at /z/ shows it"
		if got := askedBy(o).otherGrant(before+named+after, spec); got != before+want+after {
			t.Errorf("otherGrant of %s = %q, want %s", named, got, want)
		}
	}
}

// What two checks of a box find is told once.
func TestFaultsOnce(t *testing.T) {
	var c commandLine
	for range 2 {
		c.errors(jail.Faults{{Field: "--env", Value: "a", Want: "KEY=VALUE"}, {Field: "--env", Value: "b", Want: "KEY=VALUE"}, {Field: "--env", Value: "a", Want: "KEY=VALUE"}}, "--profile", "sh", options{})
	}
	if len(c.faults) != 2 {
		t.Errorf("%d faults, want 2: %v", len(c.faults), c.faults)
	}
}
