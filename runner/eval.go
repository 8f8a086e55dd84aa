package runner

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// Eval evaluates r in a box. spec is that of the language's profile for
// [Language.Command]. The error is not nil exactly when nothing was run or jail
// itself failed, as with [jail.RunIO]; what is wrong with the request is
// [jail.Faults].
func Eval(ctx context.Context, spec jail.Spec, l Language, r Request) (jail.Result, error) {
	if err := r.Check(l); err != nil {
		return jail.Result{}, err
	}
	token, err := newToken()
	if err != nil {
		return jail.Result{}, err
	}
	most := spec.Limits.WithDefaults().Output
	answer := &written{most: most}
	connections := jail.IO{Value: answer, Words: func() jail.Words { return jail.Words{Said: thrownIn(answer.bytes, token), Asked: r.Source} }}
	if l == Sh {
		connections.Value = nil // its output is the value
	}
	if connections.Stdin, err = r.reader(l, token, most); err != nil {
		return jail.Result{}, err
	}
	if l == Python {
		spec.Args, spec.Env = isolated(spec.Args), libraryAlone(spec.Env)
	}
	res, err := jail.RunIO(ctx, spec, connections)
	switch {
	case err != nil:
	case l == Sh:
		judgeOutput(&res)
	default:
		judge(&res, l, answer.bytes, token)
		hintOfBody(&res, l, r.Source)
	}
	return res, err
}

// isolated has -E of a profile's run.args be -I: with -E alone Python does not heed
// PYTHONSAFEPATH either. See libraryAlone.
func isolated(args []string) []string {
	for i, arg := range args {
		if i == 0 || len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
			continue
		}
		options, _, _ := strings.Cut(arg[1:], "W") // what follows W, X and c is their value
		options, _, _ = strings.Cut(options, "X")
		options, _, code := strings.Cut(options, "c")
		if strings.Contains(options, "E") {
			return slices.Insert(slices.Clone(args), 1, "-I")
		}
		if code {
			break
		}
	}
	return args
}

// libraryAlone keeps Python from looking anywhere but in its library before the runner
// has begun, since even its start imports from there: encodings, and from 3.13 on
// linecache for what -c says. PYTHONSAFEPATH does so for the folder in which it starts;
// the runner takes the variable away, and knows by its value that it is ours. The
// variables that name other folders get a name that only the runner knows of. It gives
// them back, and heeds the first by itself; the others are for what the source starts.
func libraryAlone(env []string) []string {
	const name = "PYTHONSAFEPATH"
	out := make([]string, 0, len(env)+1)
	safe := name + "=jail"
	for _, kv := range env {
		switch key, value, _ := strings.Cut(kv, "="); key {
		case "PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX":
			out = append(out, "JAIL_"+kv)
		case name:
			if value != "" {
				safe = kv // the caller's own
			}
		default:
			out = append(out, kv)
		}
	}
	return append(out, safe)
}

// newToken is what an answer must carry: only who has read the request, which the
// runner does before anything else runs in the box, can know it.
func newToken() (string, error) {
	var random [16]byte
	if _, err := unix.Getrandom(random[:], 0); err != nil {
		return "", fmt.Errorf("runner: getrandom: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}
