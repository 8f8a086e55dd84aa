package attacks

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
)

// A Row is one attack and what stops it.
type Row struct {
	name   string // family/attack
	source string // where it is on record
	// attack runs as the program, with the arena's args. It answers nil when
	// it has what it wanted.
	attack func(args []string) error
	// arena sets up what is attacked.
	arena func(*Arena)
	// control is where the attack succeeds without a box; unset: InChild.
	control Place
	// walls together off, the attack succeeds; each of them alone stops it.
	walls []ablation.Wall
	// root and user are walls that only a box of root's or of a user's has.
	root, user []ablation.Wall
	// landlock is the ABI from which on Landlock is one of walls; unset: the first.
	landlock uintptr
	// with goes down together with walls, because the kernel has these only on
	// top of one of them, or not every kernel that looks the same has them.
	with []ablation.Wall
	// loosen gives the run a limit that the attack stays below: the wall of a
	// row whose wall is a limit.
	loosen func(*jail.Limits)
	// why says, instead of walls, why there is nothing to take down.
	why string
	// dies says that the kernel ends the attacker, so that it can't say how it
	// went.
	dies bool
	// refused says that no box is made for it.
	refused bool
	// skip says for whom the row is not.
	skip func(Role) Reason
	// harms says what the attack's success would do to a machine in use: nothing
	// if unset. There it is carried out boxed alone.
	harms string
	// harmsBare is harms, but of the control alone.
	harmsBare string
}

// Name is the row's family and attack, with a slash between them.
func (r Row) Name() string { return r.name }

// Source is where the attack is on record.
func (r Row) Source() string { return r.source }

// Why says, of a row without walls to take down, why that is so.
func (r Row) Why() string { return r.why }

// Skip says why the row is not for this caller, or "".
func (r Row) Skip(who Role) Reason {
	if r.skip != nil {
		if why := r.skip(who); why != "" {
			return why
		}
	}
	if who.Tier != jail.Tier2 && len(r.Walls(who)) == 0 && r.why == "" && r.loosen == nil {
		return noRules
	}
	return ""
}

// Harms says what the attack's success would do to a machine in use if it were
// carried out so, or "".
func (r Row) Harms(p Proof) string {
	switch {
	case !p.Wins:
		return ""
	case !p.Where.boxed() && r.harmsBare != "":
		return r.harmsBare
	}
	return r.harms
}

// Faults says what the table's row lacks.
func (r Row) Faults() string {
	switch {
	case r.source == "" || r.attack == nil:
		return "has no source or no attack"
	case r.CanFail() == (r.why != "") && !strings.HasPrefix(r.name, tier2Family):
		return "must have walls, or a limit, or say why not"
	}
	return ""
}

// CanFail says whether the row can be shown to fail without its walls.
func (r Row) CanFail() bool {
	return len(r.walls)+len(r.root)+len(r.user) > 0 || r.loosen != nil
}

// Walls is the row's walls, as far as this kernel and a box of the caller's have
// them.
func (r Row) Walls(who Role) []ablation.Wall {
	walls := slices.Concat(r.walls, r.user)
	if who.Root {
		walls = slices.Concat(r.walls, r.root)
	}
	if LandlockABI() < max(r.landlock, 1) {
		walls = slices.DeleteFunc(walls, func(w ablation.Wall) bool { return w == ablation.Landlock })
	}
	return walls
}

// A family is rows of one kind.
type family struct {
	name string
	rows []Row
}

// Table is the whole table.
func Table() []Row {
	var rows []Row
	for _, f := range families() {
		for _, r := range f.rows {
			r.name = f.name + "/" + r.name
			rows = append(rows, r)
		}
	}
	return rows
}

// Box is the record of a box in which nothing is attacked: what the host's boxes
// are like, or why there are none.
func Box(t T, who Role) jail.Result {
	a := NewArena(t, Attack("none"), who, InBox, nil)
	if who.Tier == jail.Tier2 {
		a.fitTier2()
	}
	return a.Run().Result
}

// Attack is the row of that name with nothing set up for it: for tests that need
// its program in a box of their own.
func Attack(name string) Row { return Row{name: name} }
