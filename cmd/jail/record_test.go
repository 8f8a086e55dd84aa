package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// longRecord takes more than one piece.
func longRecord(lines int) jail.Result {
	return jail.Result{Schema: jail.Schema, Stdout: jail.Output{Text: strings.Repeat("a \"line\" of output\n", lines)}}
}

// TestRecordsInOneLog: several runs append to a log. None cuts into another's record,
// however long: each line is one.
func TestRecordsInOneLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var runs sync.WaitGroup
	for range 4 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		runs.Go(func() {
			for i := range 20 {
				if err := (&recordTarget{file: f}).write(longRecord(500 * i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	runs.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(lines) != 80 {
		t.Errorf("%d lines, want 80", len(lines))
	}
	for i, line := range lines {
		if !json.Valid(line) {
			t.Fatalf("line %d of %d bytes is no record", i+1, len(line))
		}
	}
}

// TestRecordAsMessage: a socket that keeps messages apart has one for a record.
func TestRecordAsMessage(t *testing.T) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	to := os.NewFile(uintptr(p[1]), "messages")
	defer to.Close()
	for _, r := range []jail.Result{longRecord(0), longRecord(4000)} {
		if err := (&recordTarget{file: to}).write(r); err != nil {
			t.Fatal(err)
		}
		message := make([]byte, 1<<20)
		n, err := unix.Read(p[0], message)
		if err != nil || !json.Valid(message[:n]) {
			t.Errorf("a message of %d bytes that is no record (%v)", n, err)
		}
	}
}

// TestLongRecordIntoPipe: it arrives as a whole, and where the reader goes away that is
// an error, as it is for a short one that nobody reads.
func TestLongRecordIntoPipe(t *testing.T) {
	for _, most := range []int64{1 << 30, 100_000, 0} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan []byte)
		go func() {
			text, _ := io.ReadAll(io.LimitReader(r, most))
			r.Close()
			read <- text
		}()
		err = (&recordTarget{file: w}).write(longRecord(50_000))
		w.Close()
		if text := <-read; most == 1<<30 && (err != nil || !json.Valid(text)) {
			t.Errorf("%d bytes that are no record (%v)", len(text), err)
		} else if most < 1<<30 && !errors.Is(err, unix.EPIPE) {
			t.Errorf("read up to %d bytes: error %v, want %v", most, err, unix.EPIPE)
		}
	}
}

// TestRecordFile: a long record leaves nothing behind it of what was reserved, and one
// that can't be written to its end leaves no file.
func TestRecordFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.json")
	open := func() *recordTarget {
		target, err := openRecord(profiles.CurrentHost(), path)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	for _, lines := range []int{50_000, 0, 5000} {
		if err := open().write(longRecord(lines)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || !json.Valid(text) || !bytes.HasSuffix(text, []byte("}\n")) {
			t.Errorf("%d bytes that are no record (%v)", len(text), err)
		}
	}

	os.Remove(path)
	target := open()
	broken := longRecord(50_000)
	broken.Value = json.RawMessage("{")
	if err := target.write(broken); err == nil {
		t.Error("a value that is no JSON was written")
	}
	leftNothing(t, path)

	target = open()
	signal.Ignore(unix.SIGXFSZ) // write(2) fails instead
	defer signal.Reset(unix.SIGXFSZ)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 300_000, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &limit)
	if err := target.write(longRecord(50_000)); !errors.Is(err, unix.EFBIG) {
		t.Errorf("past the most that a file may have: error %v, want %v", err, unix.EFBIG)
	}
	leftNothing(t, path)
}

func leftNothing(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: %v: the file is still there", err)
	}
}
