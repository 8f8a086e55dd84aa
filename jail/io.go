package jail

import (
	"io"
	"os"
)

// IO is what a run is connected to. The program never gets the caller's own
// descriptors: everything goes through pipes that the supervisor copies.
type IO struct {
	// Stdin is streamed into the program; nil is an empty stdin (/dev/null).
	// If the program ends before it has read all of it a last Read may still
	// be under way when RunIO returns.
	Stdin io.Reader
	// Stdout and Stderr receive the program's output as it comes. A nil one is
	// captured into the Result instead, up to Limits.Output.
	// Who takes it later than it is written is waited for, until Limits.Timeout is over or
	// the context ends: then the run is canceled, with Output.Truncated, and the Writer
	// may still be in its last call when RunIO returns.
	Stdout, Stderr io.Writer
	// Value, if not nil, gives the program descriptor 3, a socket of its own beside
	// its output, and receives what it writes there, up to Limits.Output on its
	// own account. Nobody can open it a second time, through /proc/self/fd/3 or
	// otherwise (ENXIO); who is to write to it must inherit it. Past that the box is ended (output_too_large), whatever
	// Spec.OutputMode says: a part of a value is none.
	Value io.Writer
	// Words, if not nil, is asked once for what the program said elsewhere than on stderr,
	// after it failed and all of its output was taken: [Result.Heed] tells the same of it
	// then as is told of stderr.
	Words func() Words
	// TTY, if not nil, gives the program a new terminal of its own as stdin,
	// stdout and stderr, all of whose output goes to Stdout. The file is the
	// caller's terminal, whose size is passed on and whose mode is raw while
	// the box runs.
	TTY *os.File
}

// Words are what a program was to do, and what it said of its failure.
type Words struct {
	// Said is the program's own, as the error that a runner tells of.
	Said string
	// Asked is the caller's own beside Spec.Args, as a source on stdin. A hint may tell
	// of a file of the host's that it names.
	Asked string
}

// holds is Faults if more may come out than is to be kept.
func (io IO) holds(s Spec) error {
	captured := io.Stdout == nil || io.Stderr == nil && io.TTY == nil
	if s.Limits.Output == Unlimited && (captured || io.Value != nil) {
		return Faults{{"limits.output", "unlimited", "must be a number of bytes where the output is captured, or a value is taken: that is kept in memory"}}
	}
	return nil
}
