package audit

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Records as Linux 7.3 writes them, and what is none.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		domain bool
		text   string
		want   Record
	}{
		{true, `audit(1796027132.248:71): domain=1a2b3c4d5 status=allocated mode=enforcing pid=812 uid=1879048777 exe="/memfd:jail-init" comm="jail-init"`,
			Record{Domain: 0x1a2b3c4d5, Allocated: true, PID: 812, UID: 1879048777}},
		{true, `audit(1.1:1): domain=1a2b status=deallocated denials=3`, Record{}},
		{false, `audit(1796027132.301:72): domain=1a2b3c4d5 blockers=fs.write_file,fs.read_file path="/var/tmp/a" dev="vda" ino=17`,
			Record{Domain: 0x1a2b3c4d5, Blockers: []string{"fs.write_file", "fs.read_file"}, Path: "/var/tmp/a"}},
		{false, `audit(1.1:1): domain=5 blockers=fs.read_file path=2F746D702F77697468202271756F74657322 dev="vda" ino=17`,
			Record{Domain: 5, Blockers: []string{"fs.read_file"}, Path: `/tmp/with "quotes"`}},
		{false, `audit(1.1:1): domain=5 blockers=fs.ioctl_dev path="/dev/null" dev="tmpfs" ino=3 ioctlcmd=0x5401`,
			Record{Domain: 5, Blockers: []string{"fs.ioctl_dev"}, Path: "/dev/null", Command: "0x5401"}},
		{false, `audit(1.1:1): domain=5 blockers=net.connect_tcp daddr=127.0.0.1 dest=80`, Record{Domain: 5, Blockers: []string{"net.connect_tcp"}, Port: "80"}},
		{false, `audit(1.1:1): domain=5 blockers=net.bind_tcp src=1024`, Record{Domain: 5, Blockers: []string{"net.bind_tcp"}, Port: "1024"}},
		{false, `audit(1.1:1): domain=5 blockers=scope.signal opid=7 ocomm="sleep"`, Record{Domain: 5, Blockers: []string{"scope.signal"}, Process: "sleep"}},
		// A path of somebody's choice says nothing but a path.
		{false, `audit(1.1:1): domain=5 blockers=fs.read_file path="/domain=6/pid=1" dev="vda" ino=17 domain=7`,
			Record{Domain: 5, Blockers: []string{"fs.read_file"}, Path: "/domain=6/pid=1"}},
		{false, `audit(1.1:1): domain=5 path="/a"`, Record{}},
		{false, `audit(1.1:1): blockers=fs.read_file path="/a"`, Record{}},
		{false, `audit(1.1:1): domain=5 blockers=fs.read_file path="/a`, Record{Domain: 5, Blockers: []string{"fs.read_file"}}},
		{false, `audit(1.1:1): domain=5 blockers=fs.read_file path=2F7`, Record{Domain: 5, Blockers: []string{"fs.read_file"}, Path: "/"}},
		{false, `nothing`, Record{}}, {true, ``, Record{}},
	} {
		got, ok := Parse(c.domain, c.text+"\x00")
		if !reflect.DeepEqual(got, c.want) && ok || ok != (c.want.Domain != 0) {
			t.Errorf("Parse(%v, %s) = %+v, %v, want %+v", c.domain, c.text, got, ok, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(false, `audit(1.1:1): domain=5 blockers=fs.read_file path=2F74 ino=1`)
	f.Add(true, `audit(1.1:1): domain=5 status=allocated pid=1 uid=2`)
	f.Fuzz(func(t *testing.T, domain bool, text string) {
		if r, ok := Parse(domain, text); ok && domain != r.Allocated {
			t.Errorf("Parse(%v, %q) = %+v", domain, text, r)
		}
	})
}

// message is one as the kernel sends it.
func message(kind uint16, seq uint32, body []byte) []byte {
	m := make([]byte, headerSize, headerSize+len(body))
	binary.NativeEndian.PutUint32(m, uint32(headerSize+len(body)))
	binary.NativeEndian.PutUint16(m[4:], kind)
	binary.NativeEndian.PutUint32(m[8:], seq)
	return append(m, body...)
}

func words(w ...uint32) (b []byte) {
	for _, v := range w {
		b = binary.NativeEndian.AppendUint32(b, v)
	}
	return b
}

// Messages of each kind, whole and broken, are taken for what they are.
func TestTake(t *testing.T) {
	l := &Listener{seq: 2}
	var seen []Record
	each := func(r Record) { seen = append(seen, r) }
	status := words(0, 1, 2, 0, 100, 64, 7, 3, 0, 0)
	for _, m := range [][]byte{nil, make([]byte, 15), message(typeGet, 1, status), message(typeGet, 2, status[:12]), message(typeError, 1, words(^uint32(0))), message(typeError, 1, words(0)),
		message(1300, 0, []byte(`audit(1.1:1): domain=5 blockers=fs.read_file`)), message(typeRefusal, 0, nil)} {
		if l.take(m, each); l.told || l.accepted || len(seen) != 0 {
			t.Fatalf("take(%q): told %v, accepted %v, records %+v", m, l.told, l.accepted, seen)
		}
	}
	if l.take(message(typeError, 2, words(0)), each); l.told || !l.accepted {
		t.Errorf("acknowledged: told %v, accepted %v", l.told, l.accepted)
	}
	l.take(message(typeRefusal, 0, []byte("audit(1.1:1): domain=5 blockers=fs.read_file path=\"/a\"")), each)
	l.take(message(typeDomain, 0, []byte("audit(1.1:1): domain=5 status=allocated mode=enforcing pid=3 uid=4")), each)
	if len(seen) != 2 || seen[0].Path != "/a" || seen[1].PID != 3 {
		t.Errorf("records %+v", seen)
	}
	l.take(message(typeRefusal, 0, []byte("audit(1.1:1): domain=5 blockers=fs.read_file")), nil)
	l.take(message(typeGet, 2, status), each)
	if want := (Status{On: true, Panics: true, RateLimit: 100, Lost: 7, Backlog: 3}); !l.told || l.status != want {
		t.Errorf("status %+v, want %+v", l.status, want)
	}
	l.told = false
	eperm := -int32(unix.EPERM)
	if l.take(message(typeError, 2, words(uint32(eperm))), each); !l.told || l.err != unix.EPERM {
		t.Errorf("refused: %v", l.err)
	}
}

// The filter in the kernel lets Landlock's records through and no others.
func TestFilter(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Skip("no audit in this kernel: ", err)
	}
	defer l.Close()
	if err := unix.SetsockoptSockFprog(l.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(l.filter())), Filter: &l.filter()[0]}); err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	program := l.filter()
	if err := unix.SetsockoptSockFprog(pair[1], unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}); err != nil {
		t.Fatal(err)
	}
	var passed []string
	for _, kind := range []uint16{typeError, typeGet, 1100, 1300, 1327, typeRefusal, typeDomain, 1425} {
		unix.Write(pair[0], message(kind, 0, nil)) // EPERM for what is dropped, which is the point
	}
	for buf := make([]byte, 64); ; {
		n, err := unix.Read(pair[1], buf)
		if err != nil {
			break
		}
		passed = append(passed, map[uint16]string{typeError: "error", typeGet: "get", typeRefusal: "refusal", typeDomain: "domain"}[binary.NativeEndian.Uint16(buf[4:n])])
	}
	if got := strings.Join(passed, " "); got != "error get refusal domain" {
		t.Errorf("passed: %s", got)
	}
}
