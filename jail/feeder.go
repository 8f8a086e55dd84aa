package jail

import (
	"io"
	"os"
)

// A feeder streams the caller's input into the program. That the program ends
// or closes its stdin before it has read everything is no error. A read from
// the caller that never returns is left behind; there is no way to end it.
type feeder struct {
	from    io.Reader // nil: nothing
	to      *os.File
	through chan struct{} // closed when it is through with from
	moved   func()        // is told when the pipe has taken something; nil: nobody asks
}

func newFeeder(to int, name string) *feeder {
	return &feeder{to: os.NewFile(uintptr(to), name), through: make(chan struct{})}
}

// Write passes on a part of the input.
func (f *feeder) Write(b []byte) (int, error) {
	n, err := f.to.Write(b)
	f.moved()
	return n, err
}

func (f *feeder) run() {
	if f.from != nil {
		var to io.Writer = f.to
		if f.moved != nil {
			to = f
		}
		io.Copy(to, f.from)
	}
	close(f.through) // first: a program that has seen the end of its stdin ends after it
	f.to.Close()
}

// release gives the caller its Reader back, if nothing is read from it any
// more. It waits for nothing.
func (f *feeder) release() {
	select {
	case <-f.through:
	default:
	}
}
