package attacks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// A Proof is one way to carry a row out, and what it must come to.
type Proof struct {
	Name    string
	Where   Place
	Off     []ablation.Wall // what is taken down
	Loose   bool            // the limit that is the row's wall is raised
	Wins    bool            // the attack must succeed
	Refused bool            // no box must be made
}

// A Verdict is what a proof came to.
type Verdict string

// The verdicts.
const (
	// AsClaimed: the attack failed where it must fail, or succeeded where it must
	// succeed.
	AsClaimed Verdict = "as_claimed"
	// Escaped: it succeeded in a box.
	Escaped Verdict = "escaped"
	// Nothing is proven: it failed where nothing is to stop it, or was not carried
	// out at all.
	Nothing Verdict = "proves_nothing"
)

// Proofs are all proofs of a row, the control first.
func (r Row) Proofs(who Role) []Proof {
	if r.control == "" {
		r.control = InChild
	}
	bare := Proof{Name: "bare", Where: r.control, Wins: true}
	if who.Tier == jail.Tier2 {
		_, open := openInTier2[r.name]
		return []Proof{bare, {Name: "boxed", Where: InBox, Wins: open, Refused: r.refused || slices.Contains(refusedInTier2, r.name)}}
	}
	proofs := []Proof{bare, {Name: "boxed", Where: InBox, Refused: r.refused}, {Name: "ready", Where: InReady, Refused: r.refused}}
	walls := r.Walls(who)
	switch {
	case r.loosen != nil:
		return append(proofs, Proof{Name: "without its limit", Where: InBox, Off: walls, Loose: true, Wins: true})
	case len(walls) == 0:
		return proofs
	}
	proofs = append(proofs, Proof{Name: "without " + names(walls), Where: InBox, Off: slices.Concat(walls, r.with), Wins: true})
	if len(walls) == 1 {
		return proofs // that it alone stops the attack is what "boxed" showed
	}
	for _, w := range walls {
		others := slices.DeleteFunc(slices.Clone(walls), func(o ablation.Wall) bool { return o == w })
		proofs = append(proofs, Proof{Name: "only " + string(w), Where: InBox, Off: slices.Concat(others, r.with)})
	}
	return proofs
}

func names(walls []ablation.Wall) string {
	var out []string
	for _, w := range walls {
		out = append(out, string(w))
	}
	return strings.Join(out, ",")
}

// Carry carries a proof out, and says what it came to and, if that is not what is
// claimed, what was seen.
func (r Row) Carry(t T, who Role, p Proof) (Verdict, error) {
	if !p.Where.boxed() {
		who.Tier = 0
	}
	a := NewArena(t, r, who, p.Where, p.Off)
	if a.wins = p.Wins; p.Wins {
		a.Spec.Env = append(a.Spec.Env, patient)
	}
	if p.Loose {
		r.loosen(&a.Spec.Limits)
	}
	if who.Tier == jail.Tier2 {
		a.fitTier2()
	}
	got := a.Run()
	err := a.outcome(got)
	switch {
	case p.Wins && err != nil:
		return Nothing, &Unlike{fmt.Errorf("the attack must succeed here, or the row proves nothing: %w", err), got}
	case !p.Wins && err == nil:
		return Escaped, &Unlike{fmt.Errorf("ESCAPED (%s): the attack succeeded in the box", r.source), got}
	case !p.Wins:
		if err := r.ran(a, p, got); err != nil {
			return Nothing, &Unlike{err, got}
		}
	}
	return AsClaimed, nil
}

// Unlike is a proof that did not come to what is claimed.
type Unlike struct {
	Why  error
	Seen Answer
}

func (u *Unlike) Error() string { return u.Why.Error() + "\n" + u.Seen.String() }

// Refused is the attack's own word that the kernel refused it, or "".
func (u *Unlike) Refused() string {
	for line := range strings.Lines(u.Seen.Stdout + "\n" + u.Seen.Err) {
		for _, e := range []unix.Errno{unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EOPNOTSUPP} {
			if strings.Contains(line, e.Error()) {
				return strings.TrimSpace(strings.TrimPrefix(line, saidLost))
			}
		}
	}
	return ""
}

// ran says whether an attack that had no effect was carried out at all.
func (r Row) ran(a *Arena, p Proof, got Answer) error {
	refused := got.Result.Reason == jail.ReasonSetupRefused
	switch {
	case p.Refused && !refused:
		return errors.New("the run must be refused")
	case p.Refused:
		return nil
	case p.Where == InReady && got.Result.Reason != "" && !got.Result.Warm:
		return errors.New("no box was ready")
	case !a.dead && got.Result.Reason == "" || refused || got.Result.Reason == jail.ReasonExecFailed:
		return errors.New("the attack never ran")
	case !r.dies && !a.stdio && !strings.Contains(got.Stdout, "escape: "):
		return errors.New("the attack did not get to its end")
	}
	return nil
}

// outcome is nil when the attack had its effect.
func (a *Arena) outcome(got Answer) error {
	if a.effect != nil {
		return a.effect(got)
	}
	if !strings.Contains(got.Stdout, saidWon) {
		return errors.New("it says that it lost")
	}
	return nil
}

func (a Answer) String() string {
	return fmt.Sprintf("in %d ms; error: %s; reason: %s: %s\nstdout: %.2000s\nstderr: %.2000s",
		a.TookMS, a.Err, a.Result.Reason, a.Result.Message, a.Stdout, a.Result.Stderr.Text+a.Noise)
}
