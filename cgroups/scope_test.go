package cgroups

import (
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/seed-75010da9/jail/cgroups/internal/bus"
)

// soon is a deadline that a fake which answers always keeps.
func soon() time.Time { return time.Now().Add(time.Minute) }

var testScope = scope{name: "jail-1.scope", slice: "app.slice"}

func TestScopeAsksTheManager(t *testing.T) {
	f := (&fakeManager{auth: plain, answer: started}).listen(t)
	if err := testScope.start(socket{f.path, false}, soon()); err != nil {
		t.Fatal(err)
	}
	if got, want := f.members(), "StartTransientUnit"; got != want {
		t.Errorf("a manager's own socket is asked for %q, want %q", got, want)
	}
	call := f.call(0)
	if _, ok := call.Headers[dbus.FieldDestination]; ok {
		t.Error("the call has a destination, and there is no bus")
	}
	if call.Flags != dbus.FlagNoAutoStart {
		t.Errorf("the call's flags are %v, want those that start nothing", call.Flags)
	}
	property := func(name string, value any) []any { return []any{name, dbus.MakeVariant(value)} }
	want := []any{"jail-1.scope", "fail", [][]any{
		property("Description", "control groups of jail's boxes"),
		property("CollectMode", "inactive-or-failed"),
		property("Slice", "app.slice"),
		property("Delegate", true),
		property("PIDs", []uint32{0}),
	}, [][]any{}}
	if !reflect.DeepEqual(call.Body, want) {
		t.Errorf("the call says\n%v, want\n%v", call.Body, want)
	}
}

func TestScopeAsksTheBus(t *testing.T) {
	f := (&fakeManager{auth: daemonLike, answer: started}).listen(t)
	if err := testScope.start(socket{f.path, true}, soon()); err != nil {
		t.Fatal(err)
	}
	if got, want := f.members(), "Hello AddMatch Subscribe StartTransientUnit"; got != want {
		t.Errorf("a bus is asked for %q, want %q", got, want)
	}
	for i, want := range []string{busName, busName, systemdName, systemdName} {
		if got := f.call(i).Headers[dbus.FieldDestination].Value(); got != want {
			t.Errorf("call %d goes to %v, want %s", i, got, want)
		}
	}
	if got, want := f.lines, []string{"AUTH EXTERNAL", "DATA"}; !slices.Equal(got, want) {
		t.Errorf("authenticated by %q, want %q: no id is named, as it may be another outside", got, want)
	}
}

// TestScopeAnswers: what a manager may answer, and what is made of it.
func TestScopeAnswers(t *testing.T) {
	type answer = func(*fakeManager, io.Writer, *dbus.Message)
	for _, tt := range []struct {
		name   string
		answer answer
		want   string // in the error; "" is none
	}{
		{"the end before the answer", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.jobRemoved(to, 5, testScope.name, "done")
			f.reply(to, call, jobPath(5))
		}, ""},
		{"failed", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.reply(to, call, jobPath(5))
			f.jobRemoved(to, 5, testScope.name, "failed")
		}, `the job ended with "failed"`},
		{"refused", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.refuse(to, call, "org.freedesktop.DBus.Error.AccessDenied", "no")
		}, "StartTransientUnit jail-1.scope: org.freedesktop.DBus.Error.AccessDenied: no"},
		{"the answer is empty", func(f *fakeManager, to io.Writer, call *dbus.Message) { f.reply(to, call) }, "names no job"},
		{"the answer to another call", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.reply(to, &dbus.Message{}, jobPath(5)) // number 0
			f.jobRemoved(to, 5, testScope.name, "done")
		}, bus.ErrTimeout.Error()},
		{"another unit's end", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.reply(to, call, jobPath(5))
			f.jobRemoved(to, 5, "jail-2.scope", "done")
		}, bus.ErrTimeout.Error()},
		{"nothing", func(*fakeManager, io.Writer, *dbus.Message) {}, bus.ErrTimeout.Error()},
		{"signals without end", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			for f.jobRemoved(to, 5, "jail-2.scope", "done") == nil {
			}
		}, bus.ErrTimeout.Error()},
		{"no D-Bus", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			io.WriteString(to, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}, "malformed"},
		{"half a message", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			io.WriteString(to, "l\x02\x00\x01")
			to.(io.Closer).Close()
		}, "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := (&fakeManager{auth: plain, answer: tt.answer}).listen(t)
			begun := time.Now()
			deadline := soon()
			if tt.want == bus.ErrTimeout.Error() {
				deadline = begun.Add(200 * time.Millisecond)
			}
			err := testScope.start(socket{f.path, false}, deadline)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("start() = %v, want %q", err, tt.want)
			}
			if over := time.Since(deadline); over > 20*time.Second {
				t.Errorf("start() came back %v after its deadline", over)
			}
		})
	}
}

func TestScopeAuthentication(t *testing.T) {
	for _, tt := range []struct {
		name  string
		auth  []string
		lines []string
		want  string
	}{
		{"an id is wanted", []string{"REJECTED EXTERNAL", "OK 1"}, []string{"AUTH EXTERNAL", ownID()}, ""},
		{"rejected", []string{"REJECTED EXTERNAL", "REJECTED EXTERNAL"}, []string{"AUTH EXTERNAL", ownID()}, "rejects us"},
		{"nonsense", []string{"220 mail.example ESMTP"}, []string{"AUTH EXTERNAL"}, `"220 mail.example ESMTP"`},
		{"a long line", []string{strings.Repeat("x", 5000)}, []string{"AUTH EXTERNAL"}, "a line of over"},
	} {
		f := (&fakeManager{auth: tt.auth, answer: started}).listen(t)
		err := testScope.start(socket{f.path, false}, soon())
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: start() = %v, want %q", tt.name, err, tt.want)
		}
		f.mu.Lock()
		if !slices.Equal(f.lines, tt.lines) {
			t.Errorf("%s: said %q, want %q", tt.name, f.lines, tt.lines)
		}
		f.mu.Unlock()
	}
}

// TestEnterBelievesTheKernel: a manager that says it moved us, and did not, is
// not believed.
func TestEnterBelievesTheKernel(t *testing.T) {
	f := (&fakeManager{auth: plain, answer: started}).listen(t)
	s := systemd{uid: os.Geteuid(), sockets: []socket{{f.path, false}}}
	if group, err := s.enter("/", soon()); err == nil || !strings.Contains(err.Error(), "this process is in") {
		t.Errorf("enter() = %q, %v, want an error that says where this process is", group, err)
	}
}
