package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/seed-75010da9/jail/cmd/jail/internal/doctor"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

func doctorFlags() []flagDef {
	return []flagDef{
		{name: "json", group: groupResult, usage: "print the report as JSON",
			set: on(func(o *options) *bool { return &o.json })},
		{name: "fix-hints", group: groupResult, usage: "print only the remedies",
			set: on(func(o *options) *bool { return &o.fixHints })},
		{name: "cgroup-parent", value: "PATH", group: groupLayers, accept: acceptParent,
			usage: "make the box's group below this one, as run does",
			set:   parsed(asIs[string], func(o *options) *string { return &o.over.CgroupParent })},
		helpFlag(),
	}
}

func doctorCommand(args []string) int {
	doctor.Probing(args)
	var o options
	words, status, ok := plainArgs("doctor", args, &o)
	if !ok {
		return status
	}
	if len(words) > 0 || o.json && o.fixHints {
		fmt.Fprintln(os.Stderr, "jail: doctor: takes no arguments, and one of --json and --fix-hints")
		return exitRefused
	}
	host := profiles.CurrentHost()
	p, err := profiles.Load("base", host)
	if err != nil {
		printError(err)
		return exitRefused
	}
	over := profiles.Overrides{Name: "doctor", CgroupParent: o.over.CgroupParent}
	spec, err := p.Spec([]string{"/bin/true"}, over, host)
	over.Tier = jail.Tier2
	tier2, err2 := p.Spec([]string{"/bin/true"}, over, host)
	if err := errors.Join(err, err2); err != nil {
		printError(err)
		return exitRefused
	}
	ctx := untilSignal()
	report := doctor.Examine(ctx, spec, tier2)
	var s stopped
	if errors.As(context.Cause(ctx), &s) {
		return 128 + int(s.signal)
	}
	if status := printReport(report, o); status != exitOK {
		return status
	}
	if !report.OK {
		return exitFailed
	}
	return exitOK
}

func printReport(r doctor.Report, o options) int {
	switch {
	case o.json:
		line, err := oneLine(r)
		if err != nil {
			fmt.Fprintln(os.Stderr, "jail: doctor:", err)
			return exitRefused
		}
		return print(string(line))
	case o.fixHints:
		text := r.FixHints()
		if text == "" && r.OK {
			fmt.Fprintln(os.Stderr, "jail: doctor: nothing is missing here")
		}
		return print(text)
	}
	return print(r.Text())
}

// untilSignal returns a context that the first signal which usually ends a
// program ends, with a stopped for its cause: there are many processes to end
// with it, one after the other.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	arrivals := make(chan os.Signal, 1)
	signal.Notify(arrivals, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGHUP)
	go func() {
		s := <-arrivals
		signal.Stop(arrivals) // the second does what it always does
		cancel(stopped{s.(unix.Signal)})
	}()
	return ctx
}

// A stopped is the signal that ended jail.
type stopped struct{ signal unix.Signal }

func (s stopped) Error() string { return "stopped by " + unix.SignalName(s.signal) }
