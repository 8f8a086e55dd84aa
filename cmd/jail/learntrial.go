package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"golang.org/x/sys/unix"
)

// Whether a program needs the names in a folder that it listed shows by running it without.
// A program that finds a folder empty may take that for the truth, and remove what it keeps
// elsewhere for what is gone: so what it may write to is a copy of the host's, thrown away.

// lean is the profile without the folders that were merely listed, if the program runs the
// same without them, as far as that could be tried. Not ok is that it was ended.
func (l *learner) lean(learned *learn.Learned) (*learn.Learned, bool) {
	less := learned.WithoutListings()
	if less == nil {
		return learned, true
	}
	dir, err := os.MkdirTemp("", "jail-learn-")
	if err != nil {
		return learned.Untried(), true
	}
	defer throwAway(dir)
	t := &trials{learner: l, dir: dir, less: less, learned: learned}
	verdict, err := t.verdict()
	switch {
	case errors.Is(err, errTrialEnded):
		return nil, false
	case errors.Is(err, errUntried):
		return learned.Untried(), true
	case err != nil || verdict == learn.Unclear:
		return learned.Undecided(), true
	case verdict == learn.Needed:
		return learned, true
	case t.varies:
		return learned.WithoutTelling(), true
	}
	return less, true
}

// throwAway removes the copies, whatever the program made of them, or says where they lie:
// some may be of what is nobody else's to read.
func throwAway(dir string) {
	fd, err := unix.Open(dir, folder.Flags, 0)
	if err == nil {
		folder.Empty(fd, time.Now().Add(throwingAway))
		unix.Close(fd)
		err = unix.Rmdir(dir)
	}
	if err != nil {
		printError(fmt.Errorf("copies of what the program may write to are left in %s: %w", quote(dir), err))
	}
}

const throwingAway = 10 * time.Second

var (
	errUntried    = errors.New("it could not be run without the names")
	errTrialEnded = errors.New("it was ended")
)

// trials are runs of one program with the names and without.
type trials struct {
	*learner
	dir           string // for copies
	made          int
	less, learned *learn.Learned
	varies        bool // it runs another way each time
}

// A trial is what came of running a program with a profile as it is learned.
type trial struct {
	as           bool       // it ended as it did when it was watched, and was refused no more
	before, left learn.Left // the copies, and what it said and wrote
}

// verdict says whether the program needs the names. What it does with them on copies
// decides: what was there before it was watched is there no more. Where it runs another
// way each time there are two more runs.
func (t *trials) verdict() (learn.Verdict, error) {
	without, err := t.try(t.less)
	switch {
	case err != nil && without.before == nil:
		return 0, fmt.Errorf("%w: %w", errUntried, err)
	case err != nil:
		return learn.Unclear, err
	}
	watched := t.watched(without.before)
	if without.as && without.left.Same(watched) {
		return learn.Alike, nil
	}
	with, err := t.try(t.learned)
	switch {
	case err != nil || !with.as || !with.before.Same(without.before): // others write there too
		return learn.Unclear, err
	case !without.as && (with.left[saidOut].Size != watched[saidOut].Size || with.left[saidErr].Size != watched[saidErr].Size):
		return learn.Unclear, nil // it may end another way by itself
	case !without.as:
		return learn.Needed, nil
	case without.left.Same(with.left):
		return learn.Alike, nil
	case learn.Telling(watched, without.left, with.left) == learn.Needed:
		return learn.Needed, nil
	}
	t.varies = true
	if without, err = t.try(t.less); err != nil {
		return learn.Unclear, err
	}
	after, err := t.try(t.learned)
	if err != nil || !without.as || !after.as || !without.before.Same(with.before) || !after.before.Same(with.before) {
		return learn.Unclear, err
	}
	return learn.Telling(with.left, without.left, after.left), nil
}

// watched is what the run that was watched left, as the copies have it.
func (t *trials) watched(copies learn.Left) learn.Left {
	left := maps.Clone(copies)
	left[saidOut], left[saidErr] = t.said[0], t.said[1]
	left.Wrote(t.last().Result.Used)
	return left
}

func (t *trials) last() learn.Watched { return t.learned.Runs[len(t.learned.Runs)-1] }

// try runs the program once more as it was last, in a box that shows what the profile does.
func (t *trials) try(learned *learn.Learned) (trial, error) {
	if !t.stdin.again() {
		return trial{}, errUntried
	}
	in, err := t.stdin.next()
	if err != nil {
		return trial{}, err
	}
	dir := filepath.Join(t.dir, strconv.Itoa(t.made))
	t.made++
	if err := os.Mkdir(dir, 0o700); err != nil {
		return trial{}, err
	}
	spec, copies, err := withCopies(learned.Spec(), dir)
	if err != nil {
		return trial{}, err
	}
	before, err := leftIn(copies)
	if err != nil {
		return trial{}, err
	}
	var out, errs saidText
	res, err := jail.RunIO(t.ctx, spec, jail.IO{Stdin: in, Stdout: &out, Stderr: &errs})
	switch {
	case res.Reason == jail.ReasonCanceled:
		printOutcome(os.Stderr, res, false, false)
		return trial{before: before}, errTrialEnded
	case err != nil:
		return trial{before: before}, nil
	}
	left, err := leftIn(copies)
	if err != nil {
		return trial{before: before}, err
	}
	left[saidOut], left[saidErr] = out.thing(), errs.thing()
	left.Wrote(res.Used)
	last := t.last()
	return trial{learn.Compare(last.Spec, last.Result, learned.Spec(), res).Same, before, left}, nil
}
