package jail

import (
	"strings"

	"golang.org/x/sys/unix"
)

// What a program says last on stderr says mostly why it failed. Where that is passed on, as
// to a terminal, the end of it is kept as well, so that the record and the hint are the same
// as of what is captured.

// mostLast is how many bytes of it are kept.
const mostLast = smallRead

// remember keeps the end of what is passed on of stderr.
func (s *sink) remember(b []byte) {
	s.last = append(s.last, b[max(0, len(b)-mostLast):]...)
	if len(s.last) >= 2*mostLast { // moved seldom
		s.last = s.last[:copy(s.last, s.last[len(s.last)-mostLast:])]
	}
}

// spliceable is how much of what is in a stream's pipe may be moved on without a copy: of
// stderr all but its end, which is read.
func (s *streams) spliceable(i int) int {
	if i != streamStderr {
		return largePipe
	}
	n, err := unix.IoctlGetInt(s.from[i], unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return min(n-mostLast, largePipe)
}

// The streams, by their place.
const (
	streamStdout = iota
	streamStderr
)

// lastWords is the end of what was passed on of stderr, or "".
func (s *streams) lastWords() string {
	if s == nil || s.sinks[streamStderr] == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.sinks[streamStderr].last
	return strings.ToValidUTF8(string(last[max(0, len(last)-mostLast):]), "\uFFFD")
}
