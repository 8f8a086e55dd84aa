package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
	"golang.org/x/sys/unix"
)

// runCommand is `jail run`: flags in, record out.
func runCommand(args []string) int {
	pid1.Settle()
	// First of all: a signal that comes before it is ready leaves no record.
	defer pid1.DiscardEarly() // if no run takes it
	ctx := watchSignals()
	o, line := parseRun(args)
	if o.help {
		return printHelp("run")
	}
	host := profiles.CurrentHost()
	host.Places = jail.NewPlaces()
	limit := limitSetup(o, host)
	spec := line.compose(o, host, limit)
	target, err := recordFor(o, host, spec)
	if err != nil {
		line.fault(o.recordFlag(), o.record, reason(err))
	}
	in, err := openStdin(host, o.stdin)
	if err != nil {
		line.fault("--stdin", o.stdin, reason(err))
	}
	if o.tty && !isTerminal(os.Stdin) {
		line.fault("--tty", "", "standard input is not a terminal")
	}
	line.lookAtHost(spec, o)
	limit.over()
	if len(line.faults) > 0 {
		return refuse(spec, line.faults, jail.StageValidate, target)
	}
	if o.via != "" {
		return runVia(interrupt.Of(ctx), spec, in, o, line, host, target)
	}
	spec.Profile.Dir = host.Dir
	connections := jail.IO{Stdin: in, Stdout: os.Stdout, Stderr: os.Stderr}
	if o.json {
		connections.Stdout, connections.Stderr = nil, nil
	}
	if o.tty {
		connections.TTY, connections.Stdin = os.Stdin, os.Stdin
	}
	res, err := runOrModule(jail.WithPlaces(ctx, host.Places), spec, connections, line.module)
	var faults jail.Faults
	if errors.As(err, &faults) { // found by looking at the host
		return refuse(spec, line.named(faults, spec, o), jail.StageValidate, target)
	}
	line.tellMeant(&res, host, o)
	line.tellUnfed(res, o)
	return finish(res, o, target)
}

// runOrModule runs spec. Of a WebAssembly module the engine says why it failed.
func runOrModule(ctx context.Context, spec jail.Spec, connections jail.IO, module bool) (jail.Result, error) {
	if !module || !runner.TellsOf(spec) {
		return jail.RunIO(ctx, spec, connections)
	}
	var told bytes.Buffer
	connections.Value = &told
	res, err := jail.RunIO(ctx, spec, connections)
	runner.JudgeModule(&res, told.Bytes())
	return res, err
}

// recordFor opens where the record goes; nil when nobody asked for one.
func recordFor(o options, host profiles.Host, spec jail.Spec) (*recordTarget, error) {
	if o.json {
		return toStdout()
	}
	if o.record == "" {
		return nil, nil
	}
	if err := outOfReach(host, o.record, spec.View); err != nil {
		return nil, err
	}
	return openRecord(host, o.record)
}

// recordFlag is the flag that says where the record goes.
func (o options) recordFlag() string {
	if o.json {
		return "--json"
	}
	return "--record"
}

// outOfReach refuses a record in a folder that the program may write to: it
// could put a record of its own in its place. Sources of grants and the path of
// the record are free of links.
func outOfReach(host profiles.Host, record string, view []jail.Mount) error {
	if _, ok := inheritedFD(record); ok {
		return nil
	}
	path, err := host.RealPath(record)
	if err != nil {
		return err
	}
	places := cmp.Or(host.Places, jail.NewPlaces())
	for _, m := range view {
		if m.Kind != jail.MountRW {
			continue
		}
		if _, ok := places.Within(m.Source, path); ok {
			return fmt.Errorf("must lie outside of the writable grant %s, where the program could forge it", quote(m.Source))
		}
		if places.MayName(m.Source, path) {
			return fmt.Errorf("must have one name: there are hard links to it, and by one in the writable grant %s the program could forge it", quote(m.Source))
		}
	}
	return nil
}

// refuse reports the faults of a command line, in the record if one was asked
// for, and returns the exit status.
func refuse(spec jail.Spec, faults jail.Faults, stage jail.Stage, target *recordTarget) int {
	if target == nil {
		printFaults(faults)
		return exitRefused
	}
	finishing()
	if err := target.write(refusal(spec, faults, stage)); err != nil {
		printFaults(faults)
		printError(err)
	} else if target.file != os.Stdout {
		printFaults(faults)
	}
	return exitRefused
}

// refusal is the record of a command line with faults. Package jail refuses a
// Spec without a program before it does anything: that record gets our faults.
func refusal(spec jail.Spec, faults jail.Faults, stage jail.Stage) jail.Result {
	empty := jail.Spec{Name: spec.Name, Limits: spec.Limits, Profile: spec.Profile, Tier: spec.Tier, Optional: spec.Optional}
	r, _ := jail.RunIO(context.Background(), empty, jail.IO{})
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = faultText(f)
	}
	first := faults[0]
	r.Message, r.Hint = strings.Join(lines, "; "), ""
	r.Refusal = &jail.Refusal{Stage: stage, Operation: first.Field, Operand: first.Value, Remedy: first.Want}
	return r
}

// finish writes the record or the line for people, and returns the exit status.
func finish(res jail.Result, o options, target *recordTarget) int {
	status := res.ExitStatus()
	canceled := res.Reason == jail.ReasonCanceled
	if !canceled || !interrupted() {
		finishing()
	}
	lost := canceled && !interrupted() && !unread(res)
	switch {
	case lost: // a full disk, say: a failure to do our part
		status = exitRefused
	case canceled:
		status = 128 + int(interruption())
		res.Message += interruptionWords()
	}
	if target != nil {
		if err := target.write(res); err != nil {
			printError(err)
			status = exitRefused
		}
	}
	// Whoever put `| head` behind a program expects no words on its end.
	if !o.json && (!canceled || lost || interrupted()) {
		printOutcome(os.Stderr, res, o.quiet && !lost, o.trace && target == nil)
	}
	if target == nil {
		printTimings(os.Stderr, res.Timings)
	}
	return status
}

// unread says that the reader of jail's output went away. Package jail tells the
// error of the write in its message alone.
func unread(res jail.Result) bool { return strings.Contains(res.Message, unix.EPIPE.Error()) }

// reason is err without the operation and the path, which the fault names.
func reason(err error) string {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Op + ": " + pathErr.Err.Error()
	}
	return err.Error()
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
