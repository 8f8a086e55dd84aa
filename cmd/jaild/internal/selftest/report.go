// Package selftest carries the table of attacks out on the user's own host, for
// `jail selftest`: every row without a box, in one, and in one without the walls that
// are said to stop it.
package selftest

import (
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// Schema is the version of the report that this package writes.
const Schema = "jail-selftest/1"

// A Report is what a selftest found. Its JSON form is the public contract.
type Report struct {
	Schema string `json:"schema"`
	// OK says that no wall is missing or was found to be other than claimed, and that
	// every row proved something, or the host is why it could not.
	OK       bool      `json:"ok"`
	Version  string    `json:"version"`
	Kernel   string    `json:"kernel"`
	Arch     string    `json:"arch"`
	Landlock int       `json:"landlock_abi"`
	UID      int       `json:"uid"`
	Tier     jail.Tier `json:"tier"`
	Listed   bool      `json:"listed,omitempty"` // nothing was carried out
	TookMS   int64     `json:"took_ms"`
	Count    Count     `json:"count"`
	Layers   []LayerOf `json:"layers"`
	// Missing are the layers that a run asks for, and that a box has not here: it would
	// be refused. Those that --optional named are not among them. With any, OK is false.
	Missing []jail.LayerName `json:"missing"`
	Walls   []WallSeen       `json:"walls"`
	Rows    []Row            `json:"rows"`
	// Error is why nothing was carried out; then OK is false, and Missing has the layer
	// for want of which there is no box, if it was one.
	Error string `json:"error,omitempty"`
	// Left is what was in the way of leaving nothing behind; usually nothing.
	Left []string `json:"left,omitempty"`
}

// Count is how many rows came to what.
type Count struct {
	Rows     int `json:"rows"`
	Held     int `json:"held"`
	Open     int `json:"open"`
	Escaped  int `json:"escaped"`
	Unproven int `json:"unproven"`
	Skipped  int `json:"skipped"`
}

// A LayerOf is a layer of a box on this host, as the box's own record has it.
type LayerOf struct {
	Name      jail.LayerName `json:"name"`
	Applied   bool           `json:"applied"`
	Mechanism string         `json:"mechanism,omitempty"`
	Note      string         `json:"note,omitempty"`
}

// A WallSeen is a wall and the number of rows that succeeded once it, and what else
// stops them, was off.
type WallSeen struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// A Row is what a row of the table came to.
type Row struct {
	Name   string `json:"name"` // family/attack
	Source string `json:"source"`
	// Walls are those that stop it here; NoWalls says why there is none to take down.
	Walls   []string `json:"walls"`
	NoWalls string   `json:"no_walls,omitempty"`
	Verdict Verdict  `json:"verdict"`
	// Why says why it was skipped, or what is wrong.
	Why    string  `json:"why,omitempty"`
	Proofs []Proof `json:"proofs"`
	// Seen is what a proof that is not as claimed looked like.
	Seen string `json:"seen,omitempty"`
}

// Verdict is what a row came to: a closed set.
type Verdict string

// The verdicts. Planned is that of a list.
const (
	Held     Verdict = "held"     // it failed in the box
	Open     Verdict = "open"     // it succeeded, as the documentation of tier 2 says
	Escaped  Verdict = "escaped"  // it succeeded in the box
	Unproven Verdict = "unproven" // a control failed, or the attack was not carried out
	Skipped  Verdict = "skipped"  // the host, or who one is, gives nothing to attack
	Planned  Verdict = "planned"
)

// A Proof is one way in which a row was carried out.
type Proof struct {
	// Name is "bare", "boxed", or "ablated": in a box without exactly the row's walls.
	Name string `json:"name"`
	// Succeeded says whether the attack did; nil if it was not carried out, and then
	// NotTried says why.
	Succeeded *bool  `json:"succeeded"`
	NotTried  string `json:"not_tried,omitempty"`
}

// rowOf is the row before anything was carried out.
func rowOf(r attacks.Row, who attacks.Role) Row {
	row := Row{Name: r.Name(), Source: r.Source(), Walls: []string{}, NoWalls: r.Why(), Verdict: Planned, Proofs: []Proof{}}
	if who.Tier != jail.Tier2 {
		for _, w := range r.Walls(who) {
			row.Walls = append(row.Walls, string(w))
		}
	}
	return row
}
