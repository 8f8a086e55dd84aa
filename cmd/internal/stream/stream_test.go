package stream

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"
)

func TestFrames(t *testing.T) {
	var wire bytes.Buffer
	s := NewSender(&wire)
	large := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	if err := errors.Join(s.Send(Cancel, nil), s.SendNumber(Credit, Stdout, 1<<31), s.SendAll(Record, large)); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(Stdin, large); err == nil {
		t.Error("a frame of more than MostPayload was sent")
	}
	text := wire.Bytes()
	for name, r := range map[string]*Receiver{
		"whole":   NewReceiver(bytes.NewReader(text), nil),
		"bytes":   NewReceiver(iotest.OneByteReader(bytes.NewReader(text)), nil),
		"already": NewReceiver(bytes.NewReader(text[8:]), text[:8]),
		"errors":  NewReceiver(iotest.DataErrReader(bytes.NewReader(text)), nil),
	} {
		if kind, payload, err := r.Next(); kind != Cancel || len(payload) != 0 || err != nil {
			t.Errorf("%s: first frame %q %q %v", name, kind, payload, err)
		}
		_, payload, _ := r.Next()
		if stream, n, err := Number(payload); stream != Stdout || n != 1<<31 || err != nil {
			t.Errorf("%s: Number(%q) = %q %d %v", name, payload, stream, n, err)
		}
		var got []byte
		for {
			kind, payload, err := r.Next()
			if kind != Record || err != nil {
				t.Fatalf("%s: %q %v, want a part of the record", name, kind, err)
			}
			if len(payload) == 0 {
				break
			}
			got = append(got, payload...)
		}
		if !bytes.Equal(got, large) {
			t.Errorf("%s: a record of %d bytes came as %d others", name, len(large), len(got))
		}
		if _, _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: the end is %v, want io.EOF", name, err)
		}
	}
}

func TestBrokenFrames(t *testing.T) {
	for text, want := range map[string]error{
		"":                          io.EOF,
		"i":                         io.ErrUnexpectedEOF,
		"i\x00\x00\x00\x02a":        io.ErrUnexpectedEOF,
		"i\x00\x01\x00\x01":         ErrProtocol,
		"i\xff\xff\xff\xffaaaaaaaa": ErrProtocol,
	} {
		if _, _, err := NewReceiver(bytes.NewReader([]byte(text)), nil).Next(); err != want {
			t.Errorf("Next() of %q = %v, want %v", text, err, want)
		}
	}
	for _, payload := range []string{"", "o", "o\x00\x00\x00", "o\x00\x00\x00\x00\x00"} {
		if _, _, err := Number([]byte(payload)); err != ErrProtocol {
			t.Errorf("Number(%q): %v, want %v", payload, err, ErrProtocol)
		}
	}
}

// TestFlow sends more than a window through pieces of all sizes.
func TestFlow(t *testing.T) {
	text := make([]byte, 3*Window+7)
	random := rand.NewChaCha8([32]byte{1})
	random.Read(text)
	rd, wr := io.Pipe()
	out := NewOutlet(NewSender(wr), Stdout)
	in := NewInlet(func(n int) {
		if err := out.Give(uint32(n)); err != nil {
			t.Error(err)
		}
	})
	go func() {
		r := NewReceiver(rd, nil)
		for {
			_, payload, err := r.Next()
			if err == nil {
				err = in.Put(payload)
			}
			if err != nil {
				in.End(err)
				return
			}
		}
	}()
	go func() {
		pieces := rand.New(random)
		for rest := text; len(rest) > 0; {
			n := min(1+pieces.IntN(200<<10), len(rest))
			if _, err := out.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		wr.Close()
	}()
	var got bytes.Buffer
	if n, err := in.WriteTo(&got); err != nil || n != int64(len(text)) || !bytes.Equal(got.Bytes(), text) {
		t.Errorf("WriteTo = %d, %v; the same: %v", n, err, bytes.Equal(got.Bytes(), text))
	}
}

// TestNobodyReads: what is not taken stops at the window, and a close ends the
// waiting.
func TestNobodyReads(t *testing.T) {
	out := NewOutlet(NewSender(io.Discard), Stdout)
	for taken := 0; taken < Window; {
		n, err := out.Take(Window)
		if err != nil || n > MostPayload {
			t.Fatalf("Take = %d, %v", n, err)
		}
		taken += n
	}
	done := make(chan error)
	go func() {
		_, err := out.Write([]byte{0})
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("a byte past the window was sent: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	out.Close(io.ErrClosedPipe)
	out.Close(io.EOF)
	if err := <-done; err != io.ErrClosedPipe {
		t.Errorf("Write = %v, want %v", err, io.ErrClosedPipe)
	}
	if err := out.Give(Window + 1); err != ErrProtocol {
		t.Errorf("more credit than a window: %v, want %v", err, ErrProtocol)
	}
	in := NewInlet(func(int) {})
	if err := in.Put(make([]byte, Window)); err != nil {
		t.Error(err)
	}
	if err := in.Put([]byte{0}); err != ErrProtocol {
		t.Errorf("more than a window: %v, want %v", err, ErrProtocol)
	}
	in.End(io.EOF)
	if err := in.Put(nil); err != ErrProtocol {
		t.Errorf("behind the end: %v, want %v", err, ErrProtocol)
	}
}
