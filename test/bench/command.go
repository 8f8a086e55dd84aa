package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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
	// slot is which of the callers this is.
	slot int
	// in is where it is started, if not in this program's own mount namespace,
	// and note says so behind the command.
	in   *place
	note string
}

// Words of a command line that are another one in each run.
const (
	idWord   = "ID"   // a name that no run had before
	slotWord = "SLOT" // the caller's number
)

// words are the arguments of one run.
func (b *bench) words(c command) []string {
	if !slices.Contains(c.argv, idWord) && !slices.Contains(c.argv, slotWord) {
		return c.argv
	}
	words := slices.Clone(c.argv)
	for i, w := range words {
		switch w {
		case idWord:
			words[i] = fmt.Sprintf("jail-bench-%d-%d", os.Getpid(), b.runs.Add(1))
		case slotWord:
			words[i] = itoa(c.slot)
		}
	}
	return words
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
	if c.note != "" {
		words = append(words, "#", c.note)
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
	argv := b.words(c)
	fork := func() {
		began = time.Now()
		pid, err = syscall.ForkExec(argv[0], argv, attr)
	}
	if c.in == nil {
		fork()
	} else {
		c.in.do(fork)
	}
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
	return took, fmt.Errorf("%s: wait status %#x: %w\n%s", shortened(c.String()), uint32(status), errors.Join(err, errRun), said)
}

var errRun = errors.New("want exit status 0")

// shortened keeps a command with a thousand grants readable.
func shortened(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return s[:most/2] + " […] " + s[len(s)-most/2:]
}

// run runs c once, its output thrown away.
func (b *bench) run(c command, null *os.File) (time.Duration, error) {
	pid, began, err := b.start(c, null)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", shortened(c.String()), err)
	}
	return b.wait(c, pid, began)
}

// output runs c once and returns what it wrote to stdout.
func (b *bench) output(c command) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	pid, began, err := b.start(c, w)
	w.Close()
	if err != nil {
		return "", fmt.Errorf("%s: %w", shortened(c.String()), err)
	}
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if _, werr := b.wait(c, pid, began); werr != nil {
		return "", werr
	}
	return string(text), err
}
