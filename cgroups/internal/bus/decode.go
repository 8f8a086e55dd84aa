package bus

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Type is the kind of a message.
type Type byte

const (
	TypeCall   Type = 1
	TypeReturn Type = 2
	TypeError  Type = 3
	TypeSignal Type = 4
)

// A Message is one that was received.
type Message struct {
	Type      Type
	ReplyTo   uint32 // the call that a return or an error answers
	Interface string // of a signal
	Member    string // of a signal
	ErrorName string // of an error
	Signature string // of the body
	body      []byte
}

// fixedHeader is the part of each message that has the same length in all: up
// to and with the length of the header fields.
const fixedHeader = 16

// messageMax bounds one message. The specification allows 128 MiB; the largest
// that a manager sends unasked are properties of units, a few KiB.
const messageMax = 1 << 20

var errMalformed = errors.New("malformed message")

// length is how long the message is that begins with header, fixedHeader bytes.
func length(header []byte) (int, error) {
	if header[0] != littleEndian {
		return 0, fmt.Errorf("%w: byte order %q", errMalformed, header[0])
	}
	if header[3] != protocolVersion {
		return 0, fmt.Errorf("%w: protocol version %d", errMalformed, header[3])
	}
	body := uint64(binary.LittleEndian.Uint32(header[4:]))
	fields := uint64(binary.LittleEndian.Uint32(header[12:]))
	n := (fixedHeader+fields+7)/8*8 + body
	if n > messageMax {
		return 0, fmt.Errorf("%w: %d bytes, want at most %d", errMalformed, n, messageMax)
	}
	return int(n), nil
}

// decode reads one whole message.
func decode(text []byte) (Message, error) {
	m := Message{Type: Type(text[1])}
	fields := fixedHeader + int(binary.LittleEndian.Uint32(text[12:]))
	r := Reader{buf: text[:fields], at: fixedHeader}
	for r.at < fields && r.err == nil {
		r.align(8)
		code := r.byte()
		r.field(&m, code)
	}
	if r.err != nil {
		return Message{}, r.err
	}
	m.body = text[(fields+7)/8*8:]
	return m, nil
}

// field reads the value of one header field: a variant, of a simple type in
// all fields that the specification knows.
func (r *Reader) field(m *Message, code byte) {
	var text string
	var number uint32
	switch kind := r.Signature(); kind {
	case "s", "o":
		text = r.String()
	case "g":
		text = r.Signature()
	case "u":
		number = r.Uint32()
	default:
		r.fail()
	}
	switch code {
	case fieldInterface:
		m.Interface = text
	case fieldMember:
		m.Member = text
	case fieldErrorName:
		m.ErrorName = text
	case fieldReplySerial:
		m.ReplyTo = number
	case fieldSignature:
		m.Signature = text
	}
}

// Error is what a message of TypeError says.
func (m Message) Error() *Error {
	e := &Error{Name: m.ErrorName}
	if len(m.Signature) > 0 && m.Signature[0] == 's' {
		e.Text = m.Body().String()
	}
	return e
}

// Body reads the values of m's body, one after the other, as its signature
// says.
func (m Message) Body() *Reader { return &Reader{buf: m.body} }

// A Reader reads values. After the first that is not there, all are zero, and
// Err says so.
type Reader struct {
	buf []byte
	at  int
	err error
}

// Err is why values could not be read.
func (r *Reader) Err() error { return r.err }

func (r *Reader) fail() { r.err = errMalformed }

func (r *Reader) align(n int) { r.at = (r.at + n - 1) / n * n }

// take is the next n bytes, or nil.
func (r *Reader) take(n int) []byte {
	if r.err != nil || n < 0 || r.at > len(r.buf) || n > len(r.buf)-r.at {
		r.fail()
		return nil
	}
	r.at += n
	return r.buf[r.at-n : r.at]
}

func (r *Reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads a number (type u).
func (r *Reader) Uint32() uint32 {
	r.align(4)
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// String reads a string or an object's path (types s and o).
func (r *Reader) String() string { return r.terminated(int(r.Uint32())) }

// Signature reads a type signature (type g), as one stands before the value of
// a variant (type v).
func (r *Reader) Signature() string { return r.terminated(int(r.byte())) }

// terminated is n bytes and the zero behind them.
func (r *Reader) terminated(n int) string {
	b := r.take(n)
	if r.byte() != 0 {
		r.fail()
	}
	if r.err != nil {
		return ""
	}
	return string(b)
}
