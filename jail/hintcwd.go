package jail

import (
	"errors"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail/internal/paths"

	"golang.org/x/sys/unix"
)

// wantsFolder says of a working directory that the box has not which flag gives it, beside
// the one that named it, where the host has it and a hint may name it.
func (r *run) wantsFolder(e *SetupError) {
	if e.Stage != StageSession || !errors.Is(e.Err, unix.ENOENT) || r.plan == nil || e.Operand != r.spec.Dir {
		return
	}
	f, there := r.looks().At(e.Operand)
	switch {
	case !there && !r.looks().Over():
		e.Remedy = "the working directory is not in the box, and was not found on the host: make it and grant it, or name another with --cwd"
	case f.Dir() && f.Real == e.Operand:
		if g := r.typed(r.grantOn(f, f.Real, paths.Read)); g.flags != "" {
			e.Remedy = "the working directory is not in the box: " + g.flags + " beside --cwd has it there to read"
			if g := r.grantOn(f, f.Real, paths.Make); g.never == "" {
				e.Remedy += ", --workspace " + shellword.Quote(f.Real) + " in place of both to write to as well"
			}
		}
	}
}
