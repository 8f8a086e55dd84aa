package jail

import (
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// layerWord names a wall in a sentence: root is not the user of that name.
func layerWord(l LayerName) string {
	switch l {
	case LayerRoot:
		return "box's file tree"
	case LayerSeccomp:
		return "seccomp filter"
	case LayerLandlock:
		return "Landlock ruleset"
	}
	return "box's " + string(l)
}

// saysAs says whether two tries differ in their calls alone.
func (t Tried) saysAs(other Tried) bool {
	other.Call = t.Call
	return t == other
}

// Text is the answer for people: what is the same of several calls is said once.
func (a Answer) Text() string {
	var b strings.Builder
	b.WriteString(shellword.Text(a.Question))
	if a.Found != "" {
		b.WriteString(": " + a.Found)
	}
	b.WriteString("\n")
	for i, t := range a.Tried {
		if i > 0 && t.saysAs(a.Tried[i-1]) {
			continue // its call is there
		}
		verdict := "allowed"
		if !t.Allowed {
			verdict = "refused"
			if t.Layer != "" {
				verdict += " by the " + layerWord(t.Layer)
			}
		}
		b.WriteString("  " + t.Access + ": " + verdict)
		if t.Errno != "" {
			b.WriteString(" (" + t.Errno + ")")
		}
		b.WriteString("\n")
		for j := i; j == i || j < len(a.Tried) && a.Tried[j].saysAs(t); j++ {
			b.WriteString("      " + a.Tried[j].Call + "\n")
		}
		if t.Why != "" {
			b.WriteString("      " + t.Why + "\n")
		}
		switch {
		case t.Grant != "":
			b.WriteString("      to allow it: " + Denial{Grant: t.Grant, Opens: t.Opens}.Way() + "\n")
		case strings.HasPrefix(t.Never, withheld.NotHintedWord):
			b.WriteString("      " + t.Never + "\n")
		case t.Never != "":
			b.WriteString("      no flag allows it: " + t.Never + "\n")
		}
	}
	if a.Note != "" {
		b.WriteString("  " + a.Note + "\n")
	}
	return b.String()
}
