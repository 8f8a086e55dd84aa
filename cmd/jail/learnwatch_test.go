package main

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// A folder is shown writable only if all was found that is to be kept read-only in it, and
// can be.
func TestUnkept(t *testing.T) {
	for _, c := range []struct {
		tier   jail.Tier
		held   []string
		unseen string
		whole  bool
		want   string
	}{
		{jail.Tier1, nil, "", true, ""},
		{jail.Tier1, []string{"/p/.git/hooks"}, `"/p/.envrc" is a link, or lies behind one`, true, ""},
		{jail.Tier1, []string{"/p/.git/hooks"}, "looking at it took too long", false, "took too long. Name what"},
		{jail.Tier2, nil, "", true, ""},
		{jail.Tier2, []string{"/p/.git/hooks"}, "", true, "/p/.git/hooks is there"},
		{jail.Tier2, nil, "looking at it took too long", false, "took too long"},
	} {
		if got := unkept(c.tier, c.held, c.unseen, c.whole); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("unkept(%v, %q, %q, %v) = %q, want %q", c.tier, c.held, c.unseen, c.whole, got, c.want)
		}
	}
}
