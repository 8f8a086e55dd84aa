package jail

import (
	"fmt"
	"time"
)

// besides is what made, or may have made, a failed program late or fail besides its
// own doing: forks that were refused, and refused calls that waited for their answers. Of
// one that ended well the forks alone are told.
// It is nothing of the reason's, which says what ended the program.
func besides(reason Reason, refusedBy func() (limit, remedy string), forks int64, late time.Duration) (message, hint string) {
	refused, remedy := "", ""
	if forks > 0 && (reason == ReasonOK || reason == ReasonTimeout || reason == ReasonCPUTime) {
		limit, more := refusedBy()
		refused, remedy = fmt.Sprintf("; %d of its forks were refused (%s)", forks, limit), more
	}
	switch reason {
	case ReasonOK: // by what it started, such as a bomb that its shell does not wait for
		if forks > 0 {
			hint = remedy + " if it was to have more of them"
		}
		return refused, hint
	case ReasonTimeout, ReasonCPUTime:
		if forks > 0 {
			message = refused
			hint = remedy + " if it waited for processes that it could not start"
		}
	case ReasonExecutionFailed, ReasonSignaled, ReasonPidsLimit, ReasonDiskFull:
	default:
		return "", ""
	}
	if late >= noticed {
		message += fmt.Sprintf("; for %v of its time, calls that it is refused waited for their answers", late.Round(100*time.Millisecond))
		hint = joined(hint, "have it make fewer of the calls in denials, or allow them: a box that is refused more than some hundred thousand waits for jail")
	}
	return message, hint
}

// noticed is how late a program must have been for that to be worth a word.
const noticed = 100 * time.Millisecond
