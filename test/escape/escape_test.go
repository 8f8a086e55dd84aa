package escape

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
)

// A row is one attack and what stops it.
type row struct {
	name   string // family/attack
	source string // where it is on record
	// attack runs as the program, with the arena's args. It answers nil when
	// it has what it wanted.
	attack func(args []string) error
	// arena sets up what is attacked.
	arena func(*arena)
	// control is where the attack succeeds without a box; unset: inChild.
	control place
	// walls together off, the attack succeeds; each of them alone stops it.
	walls []ablation.Wall
	// root and user are walls that only a box of root's or of a user's has.
	root, user []ablation.Wall
	// landlock is the ABI from which on Landlock is one of walls; unset: the first.
	landlock uintptr
	// with goes down together with walls, because the kernel has these only on
	// top of one of them.
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
	skip func(role) reason
}

// A family is rows of one kind.
type family struct {
	name string
	rows []row
}

// table is the whole table.
func table() []row {
	var rows []row
	for _, f := range families() {
		for _, r := range f.rows {
			r.name = f.name + "/" + r.name
			rows = append(rows, r)
		}
	}
	return rows
}

// roles are the callers that this test can play.
func roles() []role {
	uid, gid := os.Getuid(), os.Getgid()
	if uid != 0 {
		return []role{{name: "user", uid: uid, gid: gid, group: site.group}}
	}
	// An id that no account has, and so no group that is its own either.
	const nobodys = 64321
	return []role{{name: "root", root: true, group: site.group}, {name: "user", uid: nobodys, gid: nobodys}}
}

// TestEscape is the table.
func TestEscape(t *testing.T) {
	if os.Getuid() != 0 {
		t.Run("root", func(t *testing.T) { skip(t, notRoot) })
	}
	for _, who := range roles() {
		t.Run(who.name, func(t *testing.T) {
			for _, r := range table() {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.prove(t, who)
				})
			}
		})
	}
}

// TestTable: names are unique, every row has its source, and there are enough
// of them with a wall to take down.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	walled := 0
	for _, r := range table() {
		if seen[r.name] {
			t.Errorf("%s: is in the table twice", r.name)
		}
		seen[r.name] = true
		if r.source == "" || r.attack == nil {
			t.Errorf("%s: has no source or no attack", r.name)
		}
		can := len(r.walls)+len(r.root)+len(r.user) > 0 || r.loosen != nil
		if can == (r.why != "") {
			t.Errorf("%s: must have walls, or a limit, or say why not", r.name)
		}
		if can {
			walled++
		}
	}
	const least = 60
	if walled < least {
		t.Errorf("%d rows can be shown to fail without their walls, want at least %d", walled, least)
	}
}

// prove runs the row's proofs.
func (r row) prove(t *testing.T, who role) {
	if r.skip != nil {
		if why := r.skip(who); why != "" {
			skip(t, why)
		}
	}
	walls := r.wallsFor(who)
	if len(walls) == 0 && r.why == "" && r.loosen == nil {
		skip(t, noRules)
	}
	if r.control == "" {
		r.control = inChild
	}
	t.Run("bare", func(t *testing.T) { r.succeeds(t, who, r.control, nil, nil) })
	t.Run("boxed", func(t *testing.T) { r.fails(t, who, inBox, nil) })
	t.Run("ready", func(t *testing.T) { r.fails(t, who, inReady, nil) })
	if r.loosen != nil {
		t.Run("without its limit", func(t *testing.T) { r.succeeds(t, who, inBox, walls, r.loosen) })
		return
	}
	if len(walls) == 0 {
		return
	}
	t.Run("without "+names(walls), func(t *testing.T) { r.succeeds(t, who, inBox, slices.Concat(walls, r.with), nil) })
	if len(walls) == 1 {
		return // that it alone stops the attack is what "boxed" showed
	}
	for _, w := range walls {
		others := slices.DeleteFunc(slices.Clone(walls), func(o ablation.Wall) bool { return o == w })
		t.Run("only "+string(w), func(t *testing.T) { r.fails(t, who, inBox, slices.Concat(others, r.with)) })
	}
}

// wallsFor is the row's walls, as far as this kernel has them.
func (r row) wallsFor(who role) []ablation.Wall {
	walls := slices.Concat(r.walls, r.user)
	if who.root {
		walls = slices.Concat(r.walls, r.root)
	}
	if landlockABI() < max(r.landlock, 1) {
		walls = slices.DeleteFunc(walls, func(w ablation.Wall) bool { return w == ablation.Landlock })
	}
	return walls
}

func names(walls []ablation.Wall) string {
	var out []string
	for _, w := range walls {
		out = append(out, string(w))
	}
	return strings.Join(out, ",")
}

func (r row) succeeds(t *testing.T, who role, where place, off []ablation.Wall, loosen func(*jail.Limits)) {
	a := newArena(t, r, who, where, off)
	if loosen != nil {
		loosen(&a.spec.Limits)
	}
	got := a.run()
	if err := a.outcome(got); err != nil {
		t.Errorf("the attack must succeed here, or the row proves nothing: %v\n%s", err, got)
	}
}

func (r row) fails(t *testing.T, who role, where place, off []ablation.Wall) {
	a := newArena(t, r, who, where, off)
	got := a.run()
	if a.outcome(got) == nil {
		t.Errorf("ESCAPED (%s): the attack succeeded in the box\n%s", r.source, got)
	}
	if r.refused {
		if got.Result.Reason != jail.ReasonSetupRefused {
			t.Errorf("the run must be refused\n%s", got)
		}
		return
	}
	if where == inReady && got.Result.Reason != "" && !got.Result.Warm {
		t.Errorf("no box was ready\n%s", got)
	}
	if a.during == nil && got.Result.Reason == "" || slices.Contains([]jail.Reason{jail.ReasonSetupRefused, jail.ReasonExecFailed}, got.Result.Reason) {
		t.Errorf("the attack never ran\n%s", got)
	}
	if !r.dies && !a.stdio && !strings.Contains(got.Stdout, "escape: ") {
		t.Errorf("the attack did not get to its end\n%s", got)
	}
}

// outcome is nil when the attack had its effect.
func (a *arena) outcome(got answer) error {
	if a.effect != nil {
		return a.effect(got)
	}
	if !strings.Contains(got.Stdout, saidWon) {
		return errors.New("it says that it lost")
	}
	return nil
}

func (a answer) String() string {
	return fmt.Sprintf("in %d ms; error: %s; reason: %s: %s\nstdout: %.2000s\nstderr: %.2000s",
		a.TookMS, a.Err, a.Result.Reason, a.Result.Message, a.Stdout, a.Result.Stderr.Text+a.Noise)
}
