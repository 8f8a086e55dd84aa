package cgroups

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// A fakeManager stands for systemd: it listens on a socket, lets one client in
// after another and answers as a test says. Messages are read and written by
// another implementation of D-Bus than the one under test.
type fakeManager struct {
	t    *testing.T
	path string
	auth []string // what is answered to each line of the authentication
	// answer is called with each call and writes what it likes.
	answer func(f *fakeManager, to io.Writer, call *dbus.Message)
	ends   sync.WaitGroup

	mu    sync.Mutex
	calls []*dbus.Message
	lines []string // of the authentication
}

// listen starts f on a new socket. It ends with the test.
func (f *fakeManager) listen(t *testing.T) *fakeManager {
	t.Helper()
	f.t, f.path = t, filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", f.path)
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 64) // so that none is left open
	f.ends.Go(func() {               // ends with the listener
		defer close(conns)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns <- c
			f.ends.Go(func() { f.serve(c) }) // ends with the connection
		}
	})
	t.Cleanup(func() {
		l.Close()
		for c := range conns {
			c.Close()
		}
		f.ends.Wait()
	})
	return f
}

func (f *fakeManager) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	if b, err := in.ReadByte(); b != 0 || err != nil {
		return
	}
	begun := false
	begin := func() bool {
		line, err := in.ReadString('\n')
		begun = line == "BEGIN\r\n" && err == nil
		return begun
	}
	for i, answer := range f.auth {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		f.mu.Lock()
		f.lines = append(f.lines, strings.TrimSpace(line))
		f.mu.Unlock()
		// As systemd needs it: BEGIN is there before the OK to a second line.
		if i > 0 && !begin() {
			return
		}
		io.WriteString(c, answer+"\r\n")
	}
	if !begun && !begin() {
		return
	}
	for {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.calls = append(f.calls, call)
		f.mu.Unlock()
		f.answer(f, c, call)
	}
}

// call is one of the calls.
func (f *fakeManager) call(i int) *dbus.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[i]
}

// members are the methods that were called, in order.
func (f *fakeManager) members() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, c := range f.calls {
		all = append(all, c.Headers[dbus.FieldMember].Value().(string))
	}
	return strings.Join(all, " ")
}

// write sends a message with a body.
func (f *fakeManager) write(to io.Writer, kind dbus.Type, headers map[dbus.HeaderField]dbus.Variant, body ...any) error {
	m := &dbus.Message{Type: kind, Headers: headers, Body: body}
	if len(body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		f.t.Error(err)
	}
	_, err := to.Write(b.Bytes())
	return err
}

func (f *fakeManager) reply(to io.Writer, call *dbus.Message, body ...any) {
	f.write(to, dbus.TypeMethodReply, map[dbus.HeaderField]dbus.Variant{dbus.FieldReplySerial: dbus.MakeVariant(call.Serial())}, body...)
}

func (f *fakeManager) refuse(to io.Writer, call *dbus.Message, name, text string) {
	f.write(to, dbus.TypeError, map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(call.Serial()), dbus.FieldErrorName: dbus.MakeVariant(name)}, text)
}

func (f *fakeManager) jobRemoved(to io.Writer, job int, unit, result string) error {
	return f.write(to, dbus.TypeSignal, map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(systemdPath)), dbus.FieldInterface: dbus.MakeVariant(systemdManager),
		dbus.FieldMember: dbus.MakeVariant(jobRemoved),
	}, uint32(job), jobPath(job), unit, result)
}

func jobPath(job int) dbus.ObjectPath {
	return dbus.ObjectPath(fmt.Sprintf("%s/job/%d", systemdPath, job))
}

// isStart says whether a call asks for a unit; the others are answered.
func (f *fakeManager) isStart(to io.Writer, call *dbus.Message) bool {
	if call.Headers[dbus.FieldMember].Value() == "StartTransientUnit" {
		return true
	}
	f.reply(to, call, ":1.1")
	return false
}

// started does what systemd does, with another job's end before it.
func started(f *fakeManager, to io.Writer, call *dbus.Message) {
	if !f.isStart(to, call) {
		return
	}
	unit := call.Body[0].(string)
	f.jobRemoved(to, 4, "other.service", "failed")
	f.reply(to, call, jobPath(5))
	f.jobRemoved(to, 5, unit, "done")
}

// plain is how a manager's own socket lets clients in, and daemonLike how a
// bus does.
var (
	plain      = []string{"OK 00112233445566778899aabbccddeeff"}
	daemonLike = []string{"DATA", "OK 00112233445566778899aabbccddeeff"}
)

func ownID() string { return "AUTH EXTERNAL " + hex.EncodeToString([]byte(fmt.Sprint(os.Geteuid()))) }
