package bus

import "encoding/binary"

// A Writer builds the body of a message. Everything in D-Bus is aligned to its
// own size, counted from the start of the message; bodies start at a multiple
// of eight, so positions in the body serve as well.
type Writer struct{ buf []byte }

// Bytes is what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Align pads with zeros to a multiple of n.
func (w *Writer) Align(n int) {
	for len(w.buf)%n != 0 {
		w.buf = append(w.buf, 0)
	}
}

// Uint32 writes a number (type u).
func (w *Writer) Uint32(v uint32) {
	w.Align(4)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, v)
}

// Bool writes a truth value (type b).
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint32(1)
		return
	}
	w.Uint32(0)
}

// String writes a string or an object's path (types s and o).
func (w *Writer) String(s string) {
	w.Uint32(uint32(len(s)))
	w.buf = append(append(w.buf, s...), 0)
}

// Signature writes a type signature (type g).
func (w *Writer) Signature(s string) {
	w.buf = append(append(append(w.buf, byte(len(s))), s...), 0)
}

// Array writes an array (type a) whose elements, which fill writes, are aligned
// to align. The padding before the first element is not part of its length.
func (w *Writer) Array(align int, fill func()) {
	w.Uint32(0)
	length := len(w.buf) - 4
	w.Align(align)
	start := len(w.buf)
	fill()
	binary.LittleEndian.PutUint32(w.buf[length:], uint32(len(w.buf)-start))
}

// A Call is a method call.
type Call struct {
	Destination string // the name of the service, or "" on a connection without a bus
	Path        string // of the object
	Interface   string
	Member      string
	Signature   string // of the body, or "" if there is none
	Body        []byte
}

// Codes of header fields (Message Format, "Header Fields").
const (
	fieldPath        = 1
	fieldInterface   = 2
	fieldMember      = 3
	fieldErrorName   = 4
	fieldReplySerial = 5
	fieldDestination = 6
	fieldSignature   = 8
)

const (
	littleEndian    = 'l'
	protocolVersion = 1
	// noAutoStart: a service that does not run is not to be started for this.
	noAutoStart = 0x2
)

// encode is c as it goes over the wire.
func (c Call) encode(serial uint32) []byte {
	w := &Writer{buf: []byte{littleEndian, byte(TypeCall), noAutoStart, protocolVersion}}
	w.Uint32(uint32(len(c.Body)))
	w.Uint32(serial)
	w.Array(8, func() {
		w.field(fieldPath, "o", c.Path)
		w.field(fieldDestination, "s", c.Destination)
		w.field(fieldInterface, "s", c.Interface)
		w.field(fieldMember, "s", c.Member)
		w.field(fieldSignature, "g", c.Signature)
	})
	w.Align(8)
	return append(w.buf, c.Body...)
}

// field writes one header field, unless it is empty.
func (w *Writer) field(code byte, kind, value string) {
	if value == "" {
		return
	}
	w.Align(8)
	w.buf = append(w.buf, code)
	w.Signature(kind)
	if kind == "g" {
		w.Signature(value)
		return
	}
	w.String(value)
}
