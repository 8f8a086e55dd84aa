package jail

import "strings"

// A MemoryError of Python's is what the interpreter raises when memory is refused, and what
// any source may raise as well, when nothing was short of it. The trace shows which it was.

// raisesItself says whether words, in small letters, are of a MemoryError that a program
// with not nearly as much memory as it may have raised by itself, or may have: where the
// line that raised it can't be seen.
func (res *Result) raisesItself(said string) bool {
	if peak, most := res.Usage.MemoryPeakBytes, res.Limits.MemoryBytes; peak != nil && most != nil && *peak >= *most/2 {
		return false
	}
	if res.Error != nil {
		said += "\n" + strings.ToLower(endsOf(res.Error.Trace))
	}
	before := "" // the last line of the trace that is of a source
	for line := range strings.Lines(said) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "memoryerror"):
			switch {
			case strings.HasPrefix(before, "raise ") || strings.Contains(before, `file "<stdin>"`):
				return true
			case strings.HasPrefix(before, `file "<string>"`): // of -c
				return strings.Contains(strings.ToLower(res.command), "memoryerror")
			}
		case strings.Trim(line, "^~ ") != "":
			before = line
		}
	}
	return false
}
