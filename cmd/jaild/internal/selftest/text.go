package selftest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// intro says what will be done, before it is.
func (s settings) intro(rows int, who attacks.Role) string {
	var b strings.Builder
	fmt.Fprintf(&b, "jail selftest: %d attacks on boxes of tier %d, as uid %d on this host. Each is carried out\n", rows, s.Tier, who.UID)
	fmt.Fprint(&b, "  bare     without a box, where it must succeed, or it would prove nothing;\n"+
		"  boxed    in a box, where it must fail;\n")
	if jail.Tier(s.Tier) != jail.Tier2 {
		fmt.Fprint(&b, "  ablated  in a box without exactly the walls that are said to stop it: it must succeed.\n")
	}
	fmt.Fprintf(&b, "What is attacked is its own: files in a folder below %s, processes, boxes,\n", strings.Join(parents(who), " or "))
	fmt.Fprintf(&b, "control groups, queues, keys, a terminal, ports on loopback. All of it goes away again.\n"+
		"It runs %d at once, each below 256 MB, and ends after %s at the latest. An attack that\n"+
		"a machine in use would feel is carried out boxed alone, and says so.\n\n", workers(), s.Timeout)
	return b.String()
}

// noWalls says which layers are no walls here, before anything is attacked.
func (r Report) noWalls() string {
	var b strings.Builder
	for _, l := range r.Layers {
		switch {
		case slices.Contains(r.Missing, l.Name):
			fmt.Fprintf(&b, "NO WALL   %s: jail run refuses here for want of it, unless --optional %[1]s says that this is meant. Of these boxes: %[2]s\n", l.Name, l.Note)
		case !l.Applied && slices.Contains(jail.OptionalLayers, l.Name):
			fmt.Fprintf(&b, "no wall   %s, as --optional says is meant. Of these boxes: %s\n", l.Name, l.Note)
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// line is a row's line.
func (row Row) line() string {
	word := map[Verdict]string{Held: "held", Open: "open", Escaped: "ESCAPED", Unproven: "UNPROVEN", Skipped: "skipped", Planned: "planned"}[row.Verdict]
	said := []string{}
	switch row.Verdict {
	case Planned:
		said = append(said, row.Source)
	case Held:
		said = append(said, row.stoppedBy())
	case Open:
		said = append(said, "tier 2 does not stop it, as its documentation says")
	default:
		said = append(said, row.Why)
	}
	for _, p := range row.Proofs {
		if p.NotTried != "" && row.Verdict == Held {
			said = append(said, "no "+p.Name+" run, "+p.NotTried)
		}
	}
	return fmt.Sprintf("%-8s  %s: %s\n", word, row.Name, strings.Join(said, "; "))
}

func (row Row) stoppedBy() string {
	switch {
	case len(row.Walls) > 0:
		return "by " + strings.Join(row.Walls, ", ")
	case row.NoWalls != "":
		return row.NoWalls
	}
	return "by the box"
}

// summary is what is said last.
func (r Report) summary() string {
	var b strings.Builder
	for _, row := range r.Rows {
		if row.Seen != "" {
			fmt.Fprintf(&b, "\n%s (%s)\n%s\n", row.Name, row.Source, strings.TrimSpace(row.Seen))
		}
	}
	if len(r.Walls) > 0 {
		var walls []string
		for _, w := range r.Walls {
			walls = append(walls, fmt.Sprintf("%s %d", w.Name, w.Rows))
		}
		fmt.Fprintf(&b, "\nattacks that got through once a wall was off: %s\n", strings.Join(walls, ", "))
	}
	var layers []string
	for _, l := range r.Layers {
		if l.Applied {
			layers = append(layers, strings.TrimSpace(string(l.Name)+" "+l.Mechanism))
		} else {
			layers = append(layers, "NOT "+string(l.Name))
		}
	}
	fmt.Fprintf(&b, "\nlayers of a box here: %s\n", strings.Join(layers, ", "))
	c := r.Count
	fmt.Fprintf(&b, "%d attacks in %.1f s: %d held, %d escaped, %d unproven, %d skipped", c.Rows, float64(r.TookMS)/1000, c.Held, c.Escaped, c.Unproven, c.Skipped)
	if r.Tier == jail.Tier2 {
		fmt.Fprintf(&b, ", %d open in tier 2", c.Open)
	}
	for _, l := range r.Missing {
		fmt.Fprintf(&b, ", %s is no wall here", l)
	}
	b.WriteString("\n")
	for _, left := range r.Left {
		fmt.Fprintf(&b, "left behind: %s\n", left)
	}
	return b.String()
}
