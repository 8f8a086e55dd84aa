package selftest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// A carrier carries one proof of a row out; attacks.Row.Carry is one.
type carrier func(attacks.Row, attacks.T, attacks.Role, attacks.Proof) (attacks.Verdict, error)

// workers is how many rows are carried out at once: most of each is waiting.
func workers() int { return min(2*runtime.NumCPU(), 8) }

// carryAll carries the rows out, and has each told as soon as it and all before it
// are done.
func carryAll(ctx context.Context, rows []attacks.Row, who attacks.Role, carry carrier, tell func(Row)) []Row {
	done := make([]Row, len(rows))
	ready := make([]chan struct{}, len(rows))
	next := make(chan int)
	var running sync.WaitGroup
	for i := range rows {
		ready[i] = make(chan struct{})
	}
	for range workers() {
		running.Go(func() {
			for i := range next {
				done[i] = carryRow(ctx, rows[i], who, carry)
				close(ready[i])
			}
		})
	}
	go func() {
		for i := range rows {
			next <- i
		}
		close(next)
	}()
	for i := range rows {
		<-ready[i]
		tell(done[i])
	}
	running.Wait()
	return done
}

// carryRow carries out what of a row can be carried out here.
func carryRow(ctx context.Context, r attacks.Row, who attacks.Role, carry carrier) Row {
	row := rowOf(r, who)
	if ctx.Err() != nil {
		row.Verdict, row.Why = Unproven, "not carried out: "+whyEnded(ctx)
		return row
	}
	if why := r.Skip(who); why != "" {
		row.Verdict, row.Why = Skipped, string(why)
		return row
	}
	row.Verdict = Held
	for _, p := range r.Proofs(who) {
		name := nameOf(p)
		if name == "" {
			continue
		}
		if harm := r.Harms(p); harm != "" {
			row.Proofs = append(row.Proofs, Proof{Name: name, NotTried: "not on a machine in use: " + harm})
			continue
		}
		if !row.add(ctx, r, who, p, carry) {
			break
		}
	}
	return row
}

// add carries one proof out, and says whether to go on with the row.
func (row *Row) add(ctx context.Context, r attacks.Row, who attacks.Role, p attacks.Proof, carry carrier) bool {
	verdict, err := once(r, who, p, carry)
	if verdict == attacks.Nothing && ctx.Err() == nil && refusal(err) == "" {
		// A machine that is busy may have been too slow. What escaped, escaped.
		verdict, err = once(r, who, p, carry)
	}
	proof := Proof{Name: nameOf(p)}
	succeeded := p.Wins == (verdict == attacks.AsClaimed)
	switch {
	case ctx.Err() != nil:
		row.Verdict, row.Why, proof.NotTried = Unproven, "not carried out: "+whyEnded(ctx), whyEnded(ctx)
	case verdict == attacks.AsClaimed:
		proof.Succeeded = &succeeded
		if p.Wins && proof.Name == "boxed" {
			row.Verdict = Open
		}
	case verdict == attacks.Escaped:
		proof.Succeeded = &succeeded
		row.Verdict, row.Why, row.Seen = Escaped, "the attack succeeded in a box", err.Error()
	case proof.Name != "boxed" && proof.Name != "ablated" && refusal(err) != "":
		proof.Succeeded = &succeeded
		row.Verdict, row.Why = Skipped, "this host lets nobody do it, without a box either: "+refusal(err)
	default:
		if p.Wins {
			proof.Succeeded = &succeeded
		}
		why, _, _ := strings.Cut(err.Error(), "\n")
		row.Verdict, row.Why, row.Seen = Unproven, proof.Name+": "+why, err.Error()
	}
	row.Proofs = append(row.Proofs, proof)
	return row.Verdict == Held || row.Verdict == Open
}

// nameOf is the proof's name in the report; of those that are left to the project's
// own tests it is "".
func nameOf(p attacks.Proof) string {
	switch {
	case p.Name == "bare" || p.Name == "boxed":
		return p.Name
	case p.Where == attacks.InBox && p.Wins:
		return "ablated"
	}
	return ""
}

// refusal is the kernel's refusal behind an error, or "".
func refusal(err error) string {
	var unlike *attacks.Unlike
	if errors.As(err, &unlike) {
		return unlike.Refused()
	}
	var setUp *setUpError
	if errors.As(err, &setUp) && setUp.refused() {
		return setUp.Error()
	}
	return ""
}

// whyEnded is why no more is carried out.
func whyEnded(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time was up (--timeout)"
	}
	return "it was ended"
}

// choose returns the rows of the families and rows that are named. The error tells of
// all names that are neither.
func choose(rows []attacks.Row, only []string) (chosen []attacks.Row, err error) {
	if len(only) == 0 {
		return rows, nil
	}
	matches := func(r attacks.Row, name string) bool {
		family, _, _ := strings.Cut(r.Name(), "/")
		return r.Name() == name || family == name
	}
	var unknown []string
	for _, name := range only {
		if !slices.ContainsFunc(rows, func(r attacks.Row) bool { return matches(r, name) }) {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("--only %s: must be a family (%s) or a row of --list", strings.Join(unknown, ", "), strings.Join(families(rows), ", "))
	}
	for _, r := range rows {
		if slices.ContainsFunc(only, func(name string) bool { return matches(r, name) }) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// families are the names of the rows' families, in order.
func families(rows []attacks.Row) []string {
	var names []string
	for _, r := range rows {
		if family, _, _ := strings.Cut(r.Name(), "/"); !slices.Contains(names, family) {
			names = append(names, family)
		}
	}
	return names
}

// table is the rows that are for boxes of a tier.
func table(tier jail.Tier) []attacks.Row {
	if tier == jail.Tier2 {
		return slices.Concat(attacks.Table(), attacks.Tier2Rows())
	}
	return attacks.Table()
}
