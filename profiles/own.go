package profiles

import (
	"fmt"
	"path/filepath"

	"github.com/seed-75010da9/jail/jail"
)

// ownInterpreter refuses an interpreter that the box may replace where the caller
// believes what it answers.
func (b *builder) ownInterpreter(in interpreter, found string) error {
	if b.o.OwnInterpreter {
		return nil
	}
	for _, path := range append(in.via, found, in.program) {
		if grant, ok := b.changeable(path); ok {
			return fmt.Errorf("an interpreter that the box can't change, and the grant %s is writable: put another first in PATH, or grant with --ro the folder right in that grant which holds this one", grant)
		}
	}
	return nil
}

// changeable says whether the box may put something else at a real path of the host,
// and in which grant. A read-only grant within a writable one counts if it lies right
// there: with one of .venv/bin alone what the interpreter reads at its start, such as
// .venv/pyvenv.cfg and the .pth files of .venv/lib, could still be anything.
func (b *builder) changeable(real string) (grant string, ok bool) {
	for _, m := range b.view.mounts {
		if m.Kind != jail.MountRW || !within(m.Source, real) {
			continue
		}
		rel, err := filepath.Rel(m.Source, real)
		if err != nil {
			return m.Source, true
		}
		top, _ := b.view.covering(filepath.Join(m.Target, rel))
		if top.Kind == jail.MountRW || filepath.Dir(top.Target) != m.Target {
			return m.Source, true
		}
	}
	return "", false
}
