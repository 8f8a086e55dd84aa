package runner

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
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
	var written bytes.Buffer
	connections := jail.IO{Value: &written}
	if l == Sh {
		connections.Value = nil // its output is the value
	}
	if connections.Stdin, err = r.reader(l, token, spec.Limits.WithDefaults().Output); err != nil {
		return jail.Result{}, err
	}
	if l == Python {
		spec.Env = safePath(spec.Env)
	}
	res, err := jail.RunIO(ctx, spec, connections)
	switch {
	case err != nil:
	case l == Sh:
		judgeOutput(&res)
	default:
		judge(&res, written.Bytes(), token)
	}
	return res, err
}

// safePath keeps Python from 3.11 on from looking for modules in the folder that it
// starts in before the runner has taken that off: 3.13 imports linecache for what -c
// says. The runner takes the variable away, and knows by its value that it is ours.
func safePath(env []string) []string {
	const name = "PYTHONSAFEPATH="
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if strings.HasPrefix(kv, name) && kv != name {
			return env // the caller's own
		}
		if kv != name {
			out = append(out, kv)
		}
	}
	return append(out, name+"jail")
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
