package cgroups

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

func TestSystemdOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		uid  int
		env  map[string]string
		want []socket
	}{
		{"root", 0, map[string]string{"XDG_RUNTIME_DIR": "/run/user/1000", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"},
			[]socket{{"/run/systemd/private", false}, {"/run/dbus/system_bus_socket", true}}},
		{"a login", 1000, map[string]string{"XDG_RUNTIME_DIR": "/run/user/1000", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"},
			[]socket{{"/run/user/1000/systemd/private", false}, {"/run/user/1000/bus", true}}},
		{"su", 1000, nil, []socket{{"/run/user/1000/systemd/private", false}, {"/run/user/1000/bus", true}}},
		{"another folder", 7, map[string]string{"XDG_RUNTIME_DIR": "/tmp/r"}, []socket{{"/tmp/r/systemd/private", false}, {"/tmp/r/bus", true}}},
		{"a relative folder", 7, map[string]string{"XDG_RUNTIME_DIR": "r"}, []socket{{"/run/user/7/systemd/private", false}, {"/run/user/7/bus", true}}},
		{"many ways", 7, map[string]string{"DBUS_SESSION_BUS_ADDRESS": "tcp:host=h;unix:abstract=/tmp/a,guid=1;unix:guid=2,path=/p;unixexec:path=/bin/x;unix:path=/%41;unix:runtime=yes"},
			[]socket{{"/run/user/7/systemd/private", false}, {"@/tmp/a", true}, {"/p", true}, {"/run/user/7/bus", true}}},
	} {
		got := systemdOf(tt.uid, func(name string) string { return tt.env[name] })
		if got.uid != tt.uid || !slices.Equal(got.sockets, tt.want) {
			t.Errorf("%s: systemdOf(%d) = %v, want %v", tt.name, tt.uid, got, tt.want)
		}
	}
}

// TestDelegates: the manager's word on one of its units, however it is reached.
func TestDelegates(t *testing.T) {
	says := func(value any) func(*fakeManager, io.Writer, *dbus.Message) {
		return func(f *fakeManager, to io.Writer, call *dbus.Message) { f.reply(to, call, dbus.MakeVariant(value)) }
	}
	for _, tt := range []struct {
		name   string
		answer func(*fakeManager, io.Writer, *dbus.Message)
		want   bool
	}{
		{"yes", says(true), true},
		{"no", says(false), false},
		{"something else", says("yes"), false},
		{"no such unit", func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.refuse(to, call, "org.freedesktop.DBus.Error.UnknownObject", "no")
		}, false},
	} {
		f := (&fakeManager{auth: plain, answer: tt.answer}).listen(t)
		s := systemd{sockets: []socket{{filepath.Join(t.TempDir(), "gone"), false}, {f.path, false}}}
		if got := s.delegates("run-1.scope", soon()); got != tt.want {
			t.Errorf("%s: delegates() = %v, want %v", tt.name, got, tt.want)
		}
		call := f.call(0)
		if got, want := call.Headers[dbus.FieldPath].Value(), dbus.ObjectPath(systemdPath+"/unit/run_2d1_2escope"); got != want {
			t.Errorf("%s: asked of %v, want %v", tt.name, got, want)
		}
		if want := []any{"org.freedesktop.systemd1.Scope", "Delegate"}; !slices.Equal(call.Body, want) {
			t.Errorf("%s: asked for %v, want %v", tt.name, call.Body, want)
		}
	}
	f := (&fakeManager{auth: daemonLike, answer: func(f *fakeManager, to io.Writer, call *dbus.Message) {
		if call.Headers[dbus.FieldMember].Value() == "Hello" {
			f.reply(to, call, ":1.1")
			return
		}
		says(true)(f, to, call)
	}}).listen(t)
	if s := (systemd{sockets: []socket{{f.path, true}}}); !s.delegates("7.service", soon()) {
		t.Error("delegates() over a bus = false, want true")
	}
}

func TestUnitOf(t *testing.T) {
	for group, want := range map[string]string{
		"/": "", "/jail": "", "/user": "",
		"/init.scope": "/init.scope",
		"/user.slice/user-1000.slice/session-3.scope":  "/user.slice/user-1000.slice/session-3.scope",
		"/system.slice/docker.service/payload/a":       "/system.slice/docker.service",
		"/machine.slice/x.scope/container/init.scope":  "/machine.slice/x.scope/container/init.scope",
		"/user.slice/user-1.slice/user@1.service/jail": "/user.slice/user-1.slice/user@1.service",
	} {
		if got, ok := unitOf(group); got != want && (ok || want != "") {
			t.Errorf("unitOf(%q) = %q, %v, want %q", group, got, ok, want)
		}
	}
}

func TestSliceOf(t *testing.T) {
	const manager = "/user.slice/user-1000.slice/user@1000.service"
	for _, tt := range []struct {
		group string
		uid   int
		want  string
	}{
		{"/system.slice/ci.service", 0, "system.slice"},
		{"/user.slice/user-1000.slice/session-3.scope", 0, "user-1000.slice"},
		{"/init.scope", 0, ""},
		{"/", 0, ""},
		{manager + "/app.slice/a.scope", 0, "user-1000.slice"}, // sudo in a user's terminal
		{manager + "/app.slice/app-x.slice/a.scope", 1000, "app-x.slice"},
		{manager + "/init.scope", 1000, ""},
		{manager + "/app.slice/a.scope", 1001, ""}, // another user's manager
		{"/user.slice/user-1000.slice/session-3.scope", 1000, ""},
		{"/system.slice/ci.service", 1000, ""},
	} {
		if got := sliceOf(tt.group, tt.uid); got != tt.want {
			t.Errorf("sliceOf(%q, %d) = %q, want %q", tt.group, tt.uid, got, tt.want)
		}
	}
}

// TestWithoutScope: the refusal is that of the own group, and says why there is
// no scope, where one could be expected.
func TestWithoutScope(t *testing.T) {
	refused := func() *Error {
		return &Error{Op: "find", Path: "/g", Missing: "write permission", Err: unix.EACCES, Remedy: remedyWrite}
	}
	err := withoutScope(refused(), errors.New("x.sock: no answer in time"))
	if !errors.Is(err, unix.EACCES) || !strings.Contains(err.Error(), "x.sock: no answer in time") {
		t.Errorf("withoutScope() = %v, want both reasons", err)
	}
	if booted() {
		return
	}
	if err := withoutScope(refused(), errNoSystemd); errors.Is(err, errNoSystemd) {
		t.Errorf("withoutScope() = %v on a host without systemd, want no word of it", err)
	}
}
