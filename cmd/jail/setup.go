package main

import (
	"errors"
	"os"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

const (
	// leastSetup is what the set-up may take at least: a run of a few
	// milliseconds is not refused because finding its files took as long.
	leastSetup = 100 * time.Millisecond
	// refusalGrace is how long the telling of it may take: who should read the
	// record may not, and its file may lie where nothing answers.
	refusalGrace = 2 * time.Second
)

// A setupLimit ends jail when what comes before a run takes longer than the run
// itself may. The files that are looked at then are not ours, and neither are
// the servers that some of them lie on: whatever is wrong with them, the caller
// is to have its answer in time.
type setupLimit struct {
	started time.Time
	limit   time.Duration
	timer   *time.Timer
}

// limitSetup starts the clock, by --timeout or else its default.
func limitSetup(o options, host profiles.Host) *setupLimit {
	l := &setupLimit{started: time.Now(), limit: o.over.Limits.WithDefaults().Timeout}
	l.timer = time.AfterFunc(max(l.limit, leastSetup), func() { os.Exit(l.refuse(o, host)) })
	return l
}

// profile replaces the default by what the profile says, if it says anything.
func (l *setupLimit) profile(timeout time.Duration) {
	if timeout == 0 || timeout == l.limit {
		return
	}
	l.over()
	l.limit = timeout
	l.timer.Reset(max(timeout, leastSetup) - time.Since(l.started))
}

// over stops the clock. If it has run out jail ends, and nothing else is to
// happen meanwhile.
func (l *setupLimit) over() {
	if !l.timer.Stop() {
		select {}
	}
}

// refuse tells why there was no run, in the record if one was asked for, and
// returns the exit status.
func (l *setupLimit) refuse(o options, host profiles.Host) int {
	time.AfterFunc(refusalGrace, func() { os.Exit(exitRefused) })
	what := "finding what the profile, the flags and the program name"
	if o.eval.reads {
		what = "finding what the profile and the flags name, or reading the request,"
	}
	faults := jail.Faults{{Field: "--timeout", Value: l.limit.String(), Want: "was over before the run could begin: " + what + " took too long"}}
	target, err := recordFor(o, host, jail.Spec{})
	if err != nil {
		printError(errors.New(o.recordFlag() + ": " + reason(err)))
	}
	return refuse(o.asked(), faults, jail.StageResolve, target)
}
