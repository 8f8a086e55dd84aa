// Package stream is how `jail run --via` and `jail serve` talk during a run: frames
// on one connection, in both directions at once. Output and input are only sent
// as far as the other side has room, so a program whose output nobody takes, or
// that does not read its input, never holds up a frame of another kind: a
// cancellation and the record always get through.
//
// A frame is its kind in one byte, the length of its payload in four (big
// endian), and the payload, of [MostPayload] bytes at most.
package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// Protocol is what a connection is upgraded to (RFC 9110, section 7.8).
const Protocol = "jail-stream/1"

// A Kind says what a frame is.
type Kind byte

const (
	// From the launcher.
	Stdin    Kind = 'i' // input; needs credit
	StdinEnd Kind = 'I' // the input has ended
	Cancel   Kind = 'x' // end the box
	Lost     Kind = 'l' // a stream's output can't be passed on: its kind, and the errno in four bytes

	// From the server.
	Stdout  Kind = 'o' // output; needs credit
	Stderr  Kind = 'e' // output; needs credit
	Started Kind = 's' // the run has left the queue
	Record  Kind = 'r' // a part of the record; an empty one ends it, and the connection
	Failure Kind = 'f' // the same of an answer in the place of a record

	// From both: the kind of a stream, and how many more bytes of it may be sent, in
	// four bytes.
	Credit Kind = 'c'
)

const (
	// MostPayload bounds what one frame makes its reader keep.
	MostPayload = 64 << 10
	// Window is how many bytes of one stream may be under way: as much as package jail
	// writes at once.
	Window  = 256 << 10
	header  = 5
	numbers = 5 // payload of Credit and Lost
)

// ErrProtocol is what the other side of a connection may not do.
var ErrProtocol = errors.New("not the protocol " + Protocol)

// A Sender writes frames, one at a time whoever they come from.
type Sender struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewSender returns a Sender to w.
func NewSender(w io.Writer) *Sender { return &Sender{w: w} }

// Send writes one frame.
func (s *Sender) Send(kind Kind, payload []byte) error {
	if len(payload) > MostPayload {
		return fmt.Errorf("stream: %d bytes for one frame", len(payload))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf[:0], byte(kind))
	s.buf = binary.BigEndian.AppendUint32(s.buf, uint32(len(payload)))
	s.buf = append(s.buf, payload...)
	_, err := s.w.Write(s.buf)
	return err
}

// SendAll writes b in frames of kind, and an empty one behind it.
func (s *Sender) SendAll(kind Kind, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), MostPayload)
		if err := s.Send(kind, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return s.Send(kind, nil)
}

// SendNumber writes a frame of kind about stream.
func (s *Sender) SendNumber(kind, stream Kind, n uint32) error {
	return s.Send(kind, binary.BigEndian.AppendUint32([]byte{byte(stream)}, n))
}

// Number is the payload of such a frame.
func Number(payload []byte) (stream Kind, n uint32, err error) {
	if len(payload) != numbers {
		return 0, 0, ErrProtocol
	}
	return Kind(payload[0]), binary.BigEndian.Uint32(payload[1:]), nil
}

// Errno is what a Lost frame's number stands for.
func Errno(n uint32) syscall.Errno { return syscall.Errno(n) }

// A Receiver reads frames.
type Receiver struct {
	r    io.Reader
	buf  []byte
	at   int // what was not taken yet is buf[at:]
	want int // of it, what the last frame took
}

// NewReceiver returns a Receiver that reads from r, after what was read from it
// already.
func NewReceiver(r io.Reader, already []byte) *Receiver {
	return &Receiver{r: r, buf: append(make([]byte, 0, max(4<<10, len(already))), already...)}
}

// Next returns the next frame. Its payload is valid until the next call. A
// connection that ends between two frames is io.EOF.
func (r *Receiver) Next() (Kind, []byte, error) {
	r.at, r.want = r.at+r.want, 0
	if err := r.fill(header); err != nil {
		return 0, nil, err
	}
	kind, n := Kind(r.buf[r.at]), int(binary.BigEndian.Uint32(r.buf[r.at+1:]))
	if n > MostPayload {
		return 0, nil, ErrProtocol
	}
	if err := r.fill(header + n); err != nil {
		return 0, nil, err
	}
	r.want = header + n
	return kind, r.buf[r.at+header : r.at+header+n], nil
}

// fill reads until there are n bytes that were not taken.
func (r *Receiver) fill(n int) error {
	if len(r.buf)-r.at >= n {
		return nil
	}
	r.buf = append(r.buf[:0], r.buf[r.at:]...)
	r.at = 0
	if cap(r.buf) < n {
		r.buf = append(make([]byte, 0, header+MostPayload), r.buf...)
	}
	for len(r.buf) < n {
		got, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+got]
		if err != nil && len(r.buf) < n {
			if err == io.EOF && len(r.buf) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}
