package stream

import (
	"io"
	"sync"
)

// An Outlet is one stream on its way to the other side: what is written to it
// goes out in frames as far as there is credit, and waits for more.
type Outlet struct {
	to   *Sender
	kind Kind

	mu   sync.Mutex
	more sync.Cond // left or err has changed
	left int
	err  error
}

// NewOutlet returns the stream of kind to the other side.
func NewOutlet(to *Sender, kind Kind) *Outlet {
	o := &Outlet{to: to, kind: kind, left: Window}
	o.more.L = &o.mu
	return o
}

// Write sends b and waits until the other side has passed it on: what Write has
// returned for is not lost by a disk that turns out to be full. It fails with what
// Close was called with.
func (o *Outlet) Write(b []byte) (int, error) {
	for sent := 0; sent < len(b); {
		n, err := o.Take(len(b) - sent)
		if err != nil {
			return sent, err
		}
		if err := o.to.Send(o.kind, b[sent:sent+n]); err != nil {
			return sent, err
		}
		sent += n
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.left < Window && o.err == nil {
		o.more.Wait()
	}
	return len(b), o.err
}

// Take waits until something may be sent, and takes up to most bytes of it, no
// more than fit into a frame.
func (o *Outlet) Take(most int) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.left == 0 && o.err == nil {
		o.more.Wait()
	}
	if o.err != nil {
		return 0, o.err
	}
	n := min(most, o.left, MostPayload)
	o.left -= n
	return n, nil
}

// Give adds credit that the other side gave.
func (o *Outlet) Give(n uint32) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if int64(o.left)+int64(n) > Window {
		return ErrProtocol
	}
	o.left += int(n)
	o.more.Broadcast()
	return nil
}

// Close has whoever writes, now or later, fail with err. The first err stays.
func (o *Outlet) Close(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.more.Broadcast()
}

// An Inlet is one stream from the other side: what came is kept, no more than a
// Window of it, until it is read; then the other side is told that there is room
// again.
type Inlet struct {
	consumed func(n int)

	mu    sync.Mutex
	more  sync.Cond // ring or err has changed
	ring  []byte
	start int
	size  int
	err   error
}

// NewInlet returns a stream that calls consumed, outside of its lock, when n
// bytes were read.
func NewInlet(consumed func(n int)) *Inlet {
	i := &Inlet{consumed: consumed}
	i.more.L = &i.mu
	return i
}

// Put adds what came. It never waits: more than the window is ErrProtocol.
func (i *Inlet) Put(b []byte) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.err != nil || i.size+len(b) > Window {
		return ErrProtocol
	}
	if i.ring == nil {
		i.ring = make([]byte, Window)
	}
	end := (i.start + i.size) % Window
	n := copy(i.ring[end:], b)
	copy(i.ring, b[n:])
	i.size += len(b)
	i.more.Broadcast()
	return nil
}

// End ends the stream behind what came so far: with io.EOF, or another error.
func (i *Inlet) End(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.err == nil {
		i.err = err
	}
	i.more.Broadcast()
}

// Read waits for something to read.
func (i *Inlet) Read(b []byte) (int, error) {
	piece, err := i.peek()
	if err != nil {
		return 0, err
	}
	n := copy(b, piece)
	i.drop(n)
	return n, nil
}

// WriteTo writes everything to w until the stream ends, which is no error if it
// does so by io.EOF. What it still writes is not read yet, as Moved counts.
func (i *Inlet) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		piece, err := i.peek()
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := w.Write(piece)
		total += int64(n)
		i.drop(n)
		if err != nil {
			return total, err
		}
	}
}

// peek waits for what is to be read next, and returns as much of it as lies in
// one piece. It stays where it is until it is dropped.
func (i *Inlet) peek() ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.size == 0 && i.err == nil {
		i.more.Wait()
	}
	if i.size == 0 {
		return nil, i.err
	}
	return i.ring[i.start:min(i.start+i.size, Window)], nil
}

func (i *Inlet) drop(n int) {
	i.mu.Lock()
	i.start, i.size = (i.start+n)%Window, i.size-n
	i.mu.Unlock()
	if n > 0 {
		i.consumed(n)
	}
}
