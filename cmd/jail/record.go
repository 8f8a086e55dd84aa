package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
}

// openRecord opens what --record names: a path, or fd:N.
//
// A file is written in place, not renamed into it: that asks for no writable
// folder, and leaves no stray file behind when jail is killed. It is emptied at
// once, so that the record of an earlier run can't be taken for this one's. A
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
	f, kind, err := openFile(host, where, unix.O_WRONLY|unix.O_CREAT)
	if errors.Is(err, unix.ENXIO) || err == nil && kind != unix.S_IFREG && kind != unix.S_IFCHR {
		err = errors.New("must be a file or a character device; give a pipe as fd:N, as in `jail run --record fd:3 … 3>PIPE`")
	}
	t := &recordTarget{file: f, path: where}
	if err == nil && kind == unix.S_IFREG {
		err = t.reserve()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

// reserve empties a regular file and takes the space that the record will
// need. Filesystems that can't reserve are left as they are: a failing write is
// reported when it happens.
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
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	err := unix.Fallocate(int(t.file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, recordSpace)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("no room for the record: %w", err)
	}
	return nil
}

// write writes r as one line of JSON.
func (t *recordTarget) write(r jail.Result) error {
	line, err := oneLine(r)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if _, err := t.file.Write(line); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if t.path == "" {
		return nil
	}
	if err := t.release(int64(len(line))); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
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
