package jail

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A grant is named as whoever reads it gave the others: by flags, or by a line of the
// profile where that gave what stands in the way, which no flag takes back.

// worded is a grant with its names. m is what it gives.
func (r *run) worded(g pathGrant, m Mount) pathGrant {
	g.flags, g.setting = "--"+string(m.Kind)+" "+shellword.Quote(m.value()), m.line()
	between := inPlaceOf
	if g.given {
		between, g.flags, g.setting = "without ", "", ""
	}
	ofProfile := g.given && r.origin(m) == ofTheProfile
	for _, old := range g.instead {
		from := r.origin(old)
		if from == ofTheProgram { // a grant that shows it takes its place by itself
			continue
		}
		ofProfile = ofProfile || from == ofTheProfile
		g.flags += between + r.asGiven(old)
		if line := old.line(); m.line() != "" && line != "" {
			g.setting += between + line
		}
		between = " and "
	}
	if ofProfile {
		g.flags, g.never = "", profileSays("gives it otherwise", g.setting)
	}
	return g
}

// profileSays is why no flag is named where a line of the run's profile is in the way.
func profileSays(what, setting string) string {
	if setting == "" {
		return "the profile " + what
	}
	return "the profile " + what + "; one of your own may have " + setting
}

// What a grant came from.
type grantOrigin int

const (
	ofFlags grantOrigin = iota
	ofTheProfile
	ofTheProgram // it was called, or is what that needs
)

func (r *run) origin(m Mount) grantOrigin {
	p := r.spec.Profile
	if p == nil || p.Grants == nil {
		return ofFlags
	}
	switch by := p.gave(m.Target); {
	case by == "":
		return ofTheProgram
	case by[0] == '-':
		return ofFlags
	}
	return ofTheProfile
}

// gave is what gave the grant at a path, or "".
func (p *ProfileRef) gave(target string) string {
	for _, g := range p.Grants {
		if g.Target == target {
			return g.By
		}
	}
	return ""
}

// asGiven is the flag that gave a grant. The value is that of the grant, which is the
// path that a relative one was of.
func (r *run) asGiven(m Mount) string {
	if p := r.spec.Profile; p != nil {
		if by := p.gave(m.Target); strings.HasPrefix(by, "--workspace ") {
			return by
		}
	}
	return "--" + string(m.Kind) + " " + shellword.Quote(m.value())
}

// deniedByProfile says whether a call is one that the run's profile denies.
func (r *run) deniedByProfile(call string) bool {
	return r.spec.Profile != nil && slices.Contains(r.spec.Profile.Denies, call)
}
