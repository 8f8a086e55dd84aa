package cgroups

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/seed-75010da9/jail/cgroups/internal/bus"
)

func never() bool { return false }

// TestAskHangs: a listener that lets nobody in is an error in time.
func TestAskHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the first fills the queue, the others find it full
		begun := time.Now()
		s := systemd{sockets: []socket{{path, false}, {path, true}}}
		err := s.ask(testScope, begun.Add(100*time.Millisecond), never)
		if !errors.Is(err, bus.ErrTimeout) || !strings.Contains(err.Error(), path) {
			t.Errorf("ask() = %v, want %v and the socket's name", err, bus.ErrTimeout)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("ask() took %v, want about 100 ms", took)
		}
	}
}

func TestAsk(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	exists := 0
	refusing := func(times int, name string) func(*fakeManager, io.Writer, *dbus.Message) {
		exists = times
		return func(f *fakeManager, to io.Writer, call *dbus.Message) {
			if exists > 0 {
				exists--
				f.refuse(to, call, name, "not now")
				return
			}
			started(f, to, call)
		}
	}
	t.Run("the next socket", func(t *testing.T) {
		f := (&fakeManager{auth: plain, answer: started}).listen(t)
		if err := (systemd{sockets: []socket{{gone, false}, {f.path, true}}}).ask(testScope, soon(), never); err != nil {
			t.Error(err)
		}
	})
	t.Run("no socket", func(t *testing.T) {
		err := (systemd{sockets: []socket{{gone, false}, {gone + "2", true}}}).ask(testScope, soon(), never)
		if !errors.Is(err, errNoSystemd) || !strings.Contains(err.Error(), gone+"2") {
			t.Errorf("ask() = %v, want %v and each socket", err, errNoSystemd)
		}
	})
	t.Run("the first that answers decides", func(t *testing.T) {
		no := (&fakeManager{auth: plain, answer: func(f *fakeManager, to io.Writer, call *dbus.Message) {
			f.refuse(to, call, "org.freedesktop.DBus.Error.AccessDenied", "no")
		}}).listen(t)
		yes := (&fakeManager{auth: plain, answer: started}).listen(t)
		err := (systemd{sockets: []socket{{no.path, false}, {yes.path, false}}}).ask(testScope, soon(), never)
		if err == nil || yes.members() != "" {
			t.Errorf("ask() = %v, and the second was asked for %q", err, yes.members())
		}
	})
	t.Run("a unit that goes away", func(t *testing.T) {
		f := (&fakeManager{auth: plain, answer: refusing(2, errUnitExists)}).listen(t)
		if err := (systemd{sockets: []socket{{f.path, false}}}).ask(testScope, soon(), never); err != nil {
			t.Error(err)
		}
	})
	t.Run("a bus that was just started", func(t *testing.T) {
		for range 5 { // a machine with much else to do may take all the time that there is
			f := (&fakeManager{auth: daemonLike, answer: refusing(2, errNoOwner)}).listen(t)
			begun := time.Now()
			err := (systemd{sockets: []socket{{f.path, true}}}).ask(testScope, soon(), never)
			if err == nil {
				return
			}
			if took := time.Since(begun); took < starting {
				t.Fatalf("ask() = %v after %v of %v", err, took, starting)
			}
		}
		t.Errorf("ask() never came to its third call within %v", starting)
	})
	t.Run("a bus without systemd", func(t *testing.T) {
		f := (&fakeManager{auth: daemonLike, answer: refusing(1<<30, errUnknown)}).listen(t)
		begun := time.Now()
		err := (systemd{sockets: []socket{{f.path, true}}}).ask(testScope, soon(), never)
		if took := time.Since(begun); err == nil || took > starting+20*time.Second { // and not the minute that there is
			t.Errorf("ask() = %v after %v, want an error after %v", err, took, starting)
		}
	})
	t.Run("a unit that stays", func(t *testing.T) {
		f := (&fakeManager{auth: plain, answer: refusing(1<<30, errUnitExists)}).listen(t)
		err := (systemd{sockets: []socket{{f.path, false}}}).ask(testScope, time.Now().Add(100*time.Millisecond), never)
		if err == nil {
			t.Error("ask() succeeded with a unit that is not ours")
		}
	})
	t.Run("our own unit", func(t *testing.T) {
		f := (&fakeManager{auth: plain, answer: refusing(1<<30, errUnitExists)}).listen(t)
		if err := (systemd{sockets: []socket{{f.path, false}}}).ask(testScope, soon(), func() bool { return true }); err != nil {
			t.Error(err)
		}
	})
}
