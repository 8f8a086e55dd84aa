package bus

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/godbus/dbus/v5"
)

// TestEncodeBytes: one message as the specification has it, byte for byte.
func TestEncodeBytes(t *testing.T) {
	w := &Writer{}
	w.String("ab")
	got := Call{Destination: "a.b", Path: "/o", Interface: "c.d", Member: "M", Signature: "s", Body: w.Bytes()}.encode(7)
	want := "6c010201" + "07000000" + "07000000" + "47000000" + // order, type, flags, version; body; serial; fields
		"01016f00" + "02000000" + "2f6f00" + "0000000000" +
		"06017300" + "03000000" + "612e6200" + "00000000" +
		"02017300" + "03000000" + "632e6400" + "00000000" +
		"03017300" + "01000000" + "4d00" + "000000000000" +
		"08016700" + "017300" + "00" + // the last byte pads the header
		"02000000" + "616200"
	if hex.EncodeToString(got) != want {
		t.Errorf("encode(7) =\n%x, want\n%s", got, want)
	}
}

// TestEncodeIsRead: another implementation reads what is written here.
func TestEncodeIsRead(t *testing.T) {
	for name := range 9 { // every alignment of what follows
		w := &Writer{}
		w.String("12345678"[:min(name, 8)])
		w.Array(8, func() {
			for _, s := range []string{"", "x", "four"} {
				w.Align(8)
				w.String(s)
				w.Signature("b")
				w.Bool(s == "x")
			}
		})
		w.Array(4, func() { w.Uint32(1 << 31) })
		w.Array(8, func() {})
		text := Call{Path: "/", Interface: "a.b", Member: "Cd", Signature: "sa(sv)aua(sv)", Body: w.Bytes()}.encode(1)
		m, err := dbus.DecodeMessage(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("a name of %d bytes: %v", name, err)
		}
		list := m.Body[1].([][]any)
		if len(list) != 3 || list[2][0] != "four" || list[1][1].(dbus.Variant).Value() != true || m.Body[2].([]uint32)[0] != 1<<31 || len(m.Body[3].([][]any)) != 0 {
			t.Errorf("a name of %d bytes: another reads %v", name, m.Body)
		}
	}
}

// theirs is a message as another implementation writes it.
func theirs(t testing.TB, m *dbus.Message) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func signal(t testing.TB) []byte {
	m := &dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath("/o")), dbus.FieldInterface: dbus.MakeVariant("a.b"),
		dbus.FieldMember: dbus.MakeVariant("Mm"), dbus.FieldSender: dbus.MakeVariant(":1.5"),
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(9)), dbus.FieldSignature: dbus.MakeVariant(dbus.ParseSignatureMust("us")),
	}, Body: []any{uint32(3), "text"}}
	return theirs(t, m)
}

func TestDecode(t *testing.T) {
	text := signal(t)
	n, err := length(text)
	if err != nil || n != len(text) {
		t.Fatalf("length() = %d, %v, want %d", n, err, len(text))
	}
	m, err := decode(text)
	if err != nil || m.Type != TypeSignal || m.Interface != "a.b" || m.Member != "Mm" || m.ReplyTo != 9 || m.Signature != "us" {
		t.Errorf("decode() = %+v, %v", m, err)
	}
	body := m.Body()
	if n, s := body.Uint32(), body.String(); n != 3 || s != "text" || body.Err() != nil {
		t.Errorf("the body is %d, %q, %v, want 3, text", n, s, body.Err())
	}
	if body.Uint32() != 0 || body.Err() == nil {
		t.Error("reading behind the body is no error")
	}
}

func TestLengthRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   int
		set  byte
	}{{"big endian", 0, 'B'}, {"another version", 3, 2}, {"a body of 16 MiB", 7, 1}, {"header fields of 4 GiB", 15, 255}} {
		text := signal(t)
		text[tt.at] = tt.set
		if n, err := length(text); !errors.Is(err, errMalformed) {
			t.Errorf("%s: length() = %d, %v, want an error", tt.name, n, err)
		}
	}
}

// FuzzDecode: no message makes the reader read elsewhere.
func FuzzDecode(f *testing.F) {
	f.Add(signal(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < fixedHeader {
			return
		}
		if n, err := length(text); err != nil || n != len(text) {
			return
		}
		m, err := decode(text)
		if err != nil {
			return
		}
		for body := m.Body(); body.Err() == nil; {
			_ = body.String()
			body.Uint32()
		}
	})
}
