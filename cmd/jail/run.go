package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// runCommand is `jail run`: flags in, record out.
func runCommand(args []string) int {
	o, spec, faults := compose(args)
	if o.help {
		return printHelp("run")
	}
	target, err := recordFor(o, spec)
	if err != nil {
		faults = append(faults, jail.Fault{Field: "--record", Value: o.record, Want: reason(err)})
	}
	in, err := openStdin(o.stdin)
	if err != nil {
		faults = append(faults, jail.Fault{Field: "--stdin", Value: o.stdin, Want: reason(err)})
	}
	if o.tty && !isTerminal(os.Stdin) {
		faults = append(faults, jail.Fault{Field: "--tty", Want: "standard input is not a terminal"})
	}
	if len(faults) > 0 {
		return refuse(spec, faults, target)
	}
	ctx, got := watchSignals()
	connections := jail.IO{Stdout: os.Stdout, Stderr: os.Stderr}
	if o.json {
		connections.Stdout, connections.Stderr = nil, nil
	}
	if in != nil {
		connections.Stdin = in
	}
	if o.tty {
		connections.TTY, connections.Stdin = os.Stdin, os.Stdin
	}
	res, err := jail.RunIO(ctx, spec, connections)
	if errors.As(err, &faults) { // found by looking at the host
		return refuse(spec, namedByFlag(faults, spec), target)
	}
	return finish(res, o, target, got)
}

// recordFor opens where the record goes; nil when nobody asked for one.
func recordFor(o options, spec jail.Spec) (*recordTarget, error) {
	if o.json {
		return &recordTarget{file: os.Stdout}, nil
	}
	if o.record == "" {
		return nil, nil
	}
	if err := outOfReach(o.record, spec.View); err != nil {
		return nil, err
	}
	return openRecord(o.record)
}

// outOfReach refuses a record in a folder that the program may write to: it
// could put a record of its own in its place.
func outOfReach(record string, view []jail.Mount) error {
	if strings.HasPrefix(record, "fd:") {
		return nil
	}
	folder, err := filepath.Abs(filepath.Dir(record))
	if err != nil {
		return err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return err
	}
	for _, m := range view {
		if m.Kind != jail.MountRW {
			continue
		}
		granted, err := filepath.EvalSymlinks(m.Source)
		if err != nil {
			continue // a fault of the grant, reported as such
		}
		path := filepath.Join(folder, filepath.Base(record))
		if path == granted || strings.HasPrefix(path, strings.TrimSuffix(granted, "/")+"/") {
			return fmt.Errorf("must lie outside of the writable grant %s, where the program could forge it", quote(m.Source))
		}
	}
	return nil
}

// openStdin opens what --stdin names; nil is an empty stdin.
func openStdin(name string) (*os.File, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return os.Stdin, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		f.Close()
		return nil, errors.Join(err, unix.EISDIR)
	}
	return f, nil
}

// refuse reports the faults of a command line, in the record if one was asked
// for, and returns the exit status.
func refuse(spec jail.Spec, faults jail.Faults, target *recordTarget) int {
	if target == nil {
		printFaults(faults)
		return exitRefused
	}
	if err := target.write(refusal(spec, faults)); err != nil {
		printFaults(faults)
		fmt.Fprintln(os.Stderr, "jail:", err)
	} else if target.file != os.Stdout {
		printFaults(faults)
	}
	return exitRefused
}

// refusal is the record of a command line with faults. Package jail refuses a
// Spec without a program before it does anything: that record gets our faults.
func refusal(spec jail.Spec, faults jail.Faults) jail.Result {
	empty := jail.Spec{Name: spec.Name, Limits: spec.Limits, Profile: spec.Profile}
	r, _ := jail.RunIO(context.Background(), empty, jail.IO{})
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = faultText(f)
	}
	first := faults[0]
	r.Message, r.Hint = strings.Join(lines, "; "), ""
	r.Refusal = &jail.Refusal{Stage: jail.StageValidate, Operation: first.Field, Operand: first.Value, Remedy: first.Want}
	return r
}

// finish writes the record or the line for people, and returns the exit status.
func finish(res jail.Result, o options, target *recordTarget, got *interruption) int {
	status := res.ExitStatus()
	if res.Reason == jail.ReasonCanceled {
		status = 128 + int(got.signal())
		res.Message += got.words()
	}
	if target != nil {
		if err := target.write(res); err != nil {
			fmt.Fprintln(os.Stderr, "jail:", err)
			status = exitRefused
		}
	}
	// Whoever put `| head` behind a program expects no words on its end.
	unread := res.Reason == jail.ReasonCanceled && got.signal() == unix.SIGPIPE
	if !o.json && !unread {
		printOutcome(os.Stderr, res, o.quiet)
	}
	return status
}

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
