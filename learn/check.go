package learn

import (
	"fmt"
	"slices"

	"github.com/seed-75010da9/jail/jail"
)

// Schema is the version of a [Comparison].
const Schema = "jail-learn-check/1"

// A Comparison is what differs between a run in a watching box and one that a
// profile is enforced on.
type Comparison struct {
	Schema   string  `json:"schema"`
	Same     bool    `json:"same"`
	Watched  Outcome `json:"watched"`
	Enforced Outcome `json:"enforced"`
	// Differences are in words; none if Same.
	Differences []string `json:"differences"`
	// Denials are what the profile refused and the watching box did not.
	Denials []jail.Denial `json:"denials"`
}

// An Outcome is how a run ended.
type Outcome struct {
	Reason   jail.Reason `json:"reason"`
	ExitCode *int        `json:"exit_code"`
	Message  string      `json:"message"`
}

// Compare says what differs. What the program wrote is not compared: times and random
// names differ from run to run.
func Compare(watched, enforced jail.Result) Comparison {
	c := Comparison{Schema: Schema, Watched: outcome(watched), Enforced: outcome(enforced), Differences: []string{}, Denials: []jail.Denial{}}
	if a, b := Ending(watched), Ending(enforced); a != b {
		c.Differences = append(c.Differences, fmt.Sprintf("it ended: %s; in the watching box: %s", b, a))
	}
	for _, d := range enforced.Denials {
		if d.Sought() { // another run may not look for it
			continue
		}
		if !slices.ContainsFunc(watched.Denials, func(w jail.Denial) bool { return w.What == d.What && w.Errno == d.Errno }) {
			c.Denials = append(c.Denials, d)
			c.Differences = append(c.Differences, fmt.Sprintf("%s was refused (%s), which it was not in the watching box", d.What, d.Errno))
		}
	}
	c.Same = len(c.Differences) == 0
	return c
}

func outcome(r jail.Result) Outcome { return Outcome{r.Reason, r.ExitCode, r.Message} }

// Alike says whether a run in a box with fewer names went as one in the watching box,
// as far as can be told: it ended the same, wrote as much, and was refused no more.
func Alike(watched, enforced jail.Result) bool {
	return Compare(watched, enforced).Same && watched.Stdout.Bytes == enforced.Stdout.Bytes && watched.Stderr.Bytes == enforced.Stderr.Bytes
}
