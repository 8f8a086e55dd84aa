// Package nobox is how people read why there is no box, in the launcher and in its
// companion, and how the companion finds out before it has work for one.
package nobox

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// InShort is the message and hint of a run that can't have a control group: the cause
// once, and what works at once before what takes root.
func InShort(message, hint string) (cause, ways string) {
	if _, after, ok := strings.Cut(message, ": cgroups: "); ok {
		message = "cgroup: " + after
	}
	const optional = "; or weaken the box by name: --optional cgroup"
	if before, after, ok := strings.Cut(hint, optional); ok {
		hint = "at once, without caps on memory, CPU and processes: --optional cgroup; with them: " + before + after
	}
	return message, hint
}

// Words are an error's, with what to do about it behind it where it is a
// [jail.SetupError].
func Words(err error) string {
	var setup *jail.SetupError
	if !errors.As(err, &setup) {
		return err.Error()
	}
	before, own := "", strings.TrimPrefix(setup.Error(), "jail: ")
	if at := strings.LastIndex(err.Error(), setup.Error()); at >= 0 {
		before = err.Error()[:at]
	}
	message, hint := own, setup.Remedy
	if setup.Layer == jail.LayerCgroup {
		message, hint = InShort(own, hint)
	}
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return before + message + hint
}

// trialTime bounds a trial, on a machine that has other things to do.
const trialTime = 10 * time.Second

// Foretold is why no box of spec is to be had, or nil: it runs /bin/true in one, and
// whether that is there does not count.
func Foretold(ctx context.Context, spec jail.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	spec.Args = []string{"/bin/true"}
	res, err := jail.Run(ctx, spec)
	var setup *jail.SetupError
	if res.Reason != jail.ReasonSetupRefused || !errors.As(err, &setup) {
		return nil
	}
	return setup
}
