package jail

import (
	"cmp"
	"errors"
	"strings"
	"time"
)

// finish turns what was seen into the record.
func (r *run) finish(err error) (Result, error) {
	err = seenFromInside(outOfFiles(err))
	res := &r.result
	res.Usage.WallMS = time.Since(r.started).Milliseconds()
	if r.result.Layers == nil {
		r.result.Layers = r.receipt()
	}
	res.Denials, res.Observed, res.Used = r.denials(), r.observation(), r.used()
	var faults Faults
	var setup *SetupError
	switch {
	case errors.As(err, &faults):
		res.Reason, res.Message = ReasonSetupRefused, strings.TrimPrefix(err.Error(), "jail: ")
		res.Refusal = &Refusal{Stage: StageValidate, Operand: faults[0].Field}
	case errors.As(err, &setup):
		r.searched(setup)
		r.wantsFolder(setup)
		res.Reason, res.Message = refusalReason(setup), strings.TrimPrefix(err.Error(), "jail: ")
		if what, remedy := r.missingInterpreter(setup); what != "" {
			res.Message, setup.Remedy = res.Message+": "+what, remedy
		}
		res.Refusal, res.Hint = setup.refusal(), setup.Remedy
	case err != nil:
		res.Reason, res.Message = ReasonInternalError, err.Error()
	default:
		r.verdict()
		r.hearElsewhere()
		said := cmp.Or(res.saidOnStderr(), r.streams.lastWords())
		res.accuse(r.spec.Args[0], cmp.Or(r.loaderHint(said), r.placeHint(said), r.aloneHint(said)), said)
	}
	res.OK = res.Reason == ReasonOK
	res.Timings = r.stopwatch.timings()
	return r.result, err
}

// refusalReason tells a program that can't be started from a box that can't be
// made, and both from a failure of our own.
func refusalReason(e *SetupError) Reason {
	if e.Stage == StageExec && e.Operation == "execve" {
		return ReasonExecFailed
	}
	if e.Stage == StageSupervise {
		return ReasonInternalError
	}
	return ReasonSetupRefused
}
