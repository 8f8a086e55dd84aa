package jail

import (
	"context"
	"errors"
	"io"
)

// IO is what a run is connected to. The program never gets the caller's own
// descriptors: everything goes through pipes that the supervisor copies.
type IO struct {
	// Stdin is streamed into the program; nil is an empty stdin (/dev/null).
	Stdin io.Reader
	// Stdout and Stderr receive the program's output as it comes. A nil one is
	// captured into the Result instead, up to Limits.Output.
	Stdout, Stderr io.Writer
}

// Run runs one program in a box and captures its output. It is
// [RunIO] with an empty IO.
func Run(ctx context.Context, spec Spec) (Result, error) { return RunIO(ctx, spec, IO{}) }

// RunIO runs one program in a box. The Result is complete on every path; the
// error is not nil exactly when the program never ran or jail itself failed:
// then it is Faults or a *SetupError, and Result.Reason says the same.
// Ending ctx ends the whole box with reason canceled. It is safe to call from
// many goroutines.
func RunIO(ctx context.Context, spec Spec, io IO) (Result, error) {
	return Result{}, errors.New("jail: not built yet")
}
