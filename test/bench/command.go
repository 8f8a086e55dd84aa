package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// A command is how one contender is started.
type command struct {
	argv []string
	// third is opened anew as descriptor 3 of each run, before the clock
	// starts: bubblewrap reads its filter there, jail writes its record there.
	third string
	flags int
	// wantsWord says that there is a record of each run in third, to be checked.
	wantsWord bool
}

// String is the command as a shell would take it.
func (c command) String() string {
	words := make([]string, len(c.argv))
	for i, w := range c.argv {
		if words[i] = w; strings.ContainsAny(w, " '()\"$&;|<>*") || w == "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	switch {
	case c.third == "":
	case c.flags&os.O_WRONLY != 0:
		words = append(words, "3>>"+c.third)
	default:
		words = append(words, "3<"+c.third)
	}
	return strings.Join(words, " ")
}

// start starts c with its stdout at the given descriptor. It is the system's
// own cheapest way: a vfork, an exec.
func (b *bench) start(c command, stdout *os.File) (pid int, began time.Time, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, began, err
	}
	defer null.Close()
	files := []uintptr{null.Fd(), stdout.Fd(), b.stderr.Fd()}
	if c.third != "" {
		f, err := os.OpenFile(c.third, c.flags, 0o600)
		if err != nil {
			return 0, began, err
		}
		defer f.Close()
		files = append(files, f.Fd())
	}
	attr := &syscall.ProcAttr{Env: environment(), Files: files}
	began = time.Now()
	pid, err = syscall.ForkExec(c.argv[0], c.argv, attr)
	return pid, began, err
}

// wait waits for the end of a run; any exit status but 0 is an error, with what
// the run said on stderr.
func (b *bench) wait(c command, pid int, began time.Time) (time.Duration, error) {
	var status syscall.WaitStatus
	var err error
	for {
		if _, err = syscall.Wait4(pid, &status, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	took := time.Since(began)
	if err == nil && status.Exited() && status.ExitStatus() == 0 {
		return took, nil
	}
	said, _ := io.ReadAll(io.NewSectionReader(b.stderr, 0, 4<<10))
	return took, fmt.Errorf("%s: wait status %#x: %w\n%s", c, uint32(status), errors.Join(err, errRun), said)
}

var errRun = errors.New("want exit status 0")

// run runs c once, its output thrown away.
func (b *bench) run(c command, null *os.File) (time.Duration, error) {
	pid, began, err := b.start(c, null)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c, err)
	}
	return b.wait(c, pid, began)
}
