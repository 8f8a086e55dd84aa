package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// recordSpace is reserved on the disk for a record that goes into a file, so
// that a full disk is a refusal and not a run without a record. A record
// without captured output is a few KiB.
const recordSpace = 64 << 10

// A recordTarget is where the record of a run goes: standard output, an
// inherited descriptor or a file. It is opened before anything runs.
type recordTarget struct {
	file *os.File
	path string // set for a file that we opened
	made string // and where it is, if it is new
}

// toStdout is for a record that is printed.
func toStdout() (*recordTarget, error) {
	if err := stdoutIsThere(); err != nil {
		return nil, fmt.Errorf("stdout: %w", err)
	}
	return &recordTarget{file: os.Stdout}, nil
}

// openRecord opens what --record names: a path, or fd:N.
//
// A file is written in place, not renamed into it: that asks for no writable
// folder, and leaves no stray file behind when jail is killed. It is emptied as
// soon as there is room for the new record, so that the record of an earlier run
// can't be taken for this one's. A file that gets no record is not left behind. A
// character device such as /dev/null is written to; a named pipe, whose reader
// may never come, is to be opened by the caller.
func openRecord(host profiles.Host, where string) (*recordTarget, error) {
	if number, ok := inheritedFD(where); ok {
		f, err := inherited(number, false)
		if err != nil {
			return nil, err
		}
		return &recordTarget{file: f}, nil
	}
	f, kind, made, err := openOrMake(host, where)
	if errors.Is(err, unix.ENXIO) || err == nil && kind != unix.S_IFREG && kind != unix.S_IFCHR {
		err = errors.New("must be a file or a character device; give a pipe as fd:N, as in `jail run --record fd:3 … 3>PIPE`")
	}
	t := &recordTarget{file: f, path: where, made: made}
	if err == nil && kind == unix.S_IFREG {
		err = t.reserve()
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

// openOrMake opens a file for the record, or makes it: then made is its path.
func openOrMake(host profiles.Host, where string) (f *os.File, kind uint32, made string, err error) {
	for range 10 { // others may make and remove it meanwhile
		f, kind, err = openFile(host, where, unix.O_WRONLY)
		if !errors.Is(err, unix.ENOENT) {
			return f, kind, "", err
		}
		f, kind, err = openFile(host, where, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
		if err == nil {
			made, err = host.RealPath(where)
		}
		if !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	return f, kind, made, err
}

// discard closes the file, and removes it if it is new.
func (t *recordTarget) discard() {
	t.file.Close()
	if t.made != "" {
		os.Remove(t.made)
	}
}

// reserve takes the space that the record will need and empties a regular file.
// What is in it stays where there is no room: the second time there is as much
// as the first. Filesystems that can't reserve are left as they are: a failing
// write is reported when it happens.
func (t *recordTarget) reserve() error {
	var st unix.Stat_t
	if err := unix.Fstat(int(t.file.Fd()), &st); err != nil {
		return fmt.Errorf("fstat: %w", err)
	}
	// Under umask 777 the owner could not read what was written for them.
	if st.Mode&0o400 == 0 && st.Size == 0 {
		if err := unix.Fchmod(int(t.file.Fd()), st.Mode&0o777|0o600); err != nil {
			return fmt.Errorf("fchmod: %w", err)
		}
	}
	if err := t.allocate(); err != nil {
		t.file.Truncate(st.Size) // some of it may have been taken
		return err
	}
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	return t.allocate()
}

func (t *recordTarget) allocate() error {
	err := unix.Fallocate(int(t.file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, recordSpace)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("no room for the record: %w", err)
	}
	return nil
}

// write writes r as one line of JSON.
func (t *recordTarget) write(r jail.Result) error {
	size, err := t.line(r)
	if err == nil && t.path != "" {
		err = t.release(size)
	}
	if err != nil {
		if t.path != "" { // part of a record is none
			t.file.Truncate(0)
			t.discard()
		}
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// line writes r, and says how long it is. A file that we opened and a pipe take a long
// record in pieces. What we inherited may be a file that others write to as well, as
// where several runs append to a log, or a socket that keeps messages apart: there each
// record is one write, however long.
func (t *recordTarget) line(r jail.Result) (int64, error) {
	size, err := r.WriteJSON(onePiece{t.file})
	if err != errLong {
		return size, err
	}
	if t.path != "" || t.isPipe() {
		return r.WriteJSON(t.file)
	}
	if size, err = r.WriteJSON(io.Discard); err != nil {
		return 0, err
	}
	whole := bytes.NewBuffer(make([]byte, 0, size))
	if _, err := r.WriteJSON(whole); err != nil {
		return 0, err
	}
	return whole.WriteTo(t.file)
}

// onePiece takes a record that is one write, as nearly all are, and nothing of another.
type onePiece struct{ file *os.File }

var errLong = errors.New("longer than one piece")

func (o onePiece) Write(b []byte) (int, error) {
	if len(b) == jail.RecordPiece { // more may follow
		return 0, errLong
	}
	return o.file.Write(b)
}

func (t *recordTarget) isPipe() bool {
	info, err := t.file.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// release gives back what reserve took beyond the record, and closes the file:
// on some filesystems a failed write shows only then.
func (t *recordTarget) release(size int64) error {
	if info, err := t.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := t.file.Truncate(size); err != nil {
			return err
		}
	}
	return t.file.Close()
}

// oneLine is v as JSON with a newline. Text stays readable: <, > and & are not
// escaped for HTML.
func oneLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
