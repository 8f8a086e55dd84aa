package engine

import (
	"fmt"
	"os"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
	"golang.org/x/sys/unix"
)

// A Failure is why something failed: one of the names below, or what was thrown.
type Failure struct {
	jail.Thrown
	status int
}

// The names of failures that are not a program's own are in package runner, for those
// of modules that can't run, and:
const (
	Deadline = "Deadline"           // the engine's own deadline was over
	Broken   = runner.EngineFailure // the engine itself failed
)

// The exit statuses that are not the module's own.
const (
	statusTrap     = 134 // 128 + SIGABRT, as other engines have it
	statusNoModule = 126
	statusDeadline = 124
	statusBroken   = 125
	statusMost     = 255
)

func (f *Failure) Error() string { return f.Name + ": " + f.Message }

func failed(name, message string, status int) *Failure {
	return &Failure{jail.Thrown{Name: name, Message: message}, status}
}

// noModule is of a module that can't be run. What it calls things may have been chosen to
// look like a line of ours.
func noModule(name, format string, args ...any) *Failure {
	return failed(name, shellword.Line(shortened(fmt.Sprintf(format, args...))), statusNoModule)
}

func broken(err error) *Failure {
	return failed(Broken, err.Error(), statusBroken)
}

const fdAnswer = 3

// takeAnswers is the socket to jail, or nil where jail takes no answer: nothing else of
// the kind is open when a program begins in a box.
func takeAnswers() *os.File {
	var st unix.Stat_t
	if unix.Fstat(fdAnswer, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil
	}
	unix.CloseOnExec(fdAnswer)
	return os.NewFile(fdAnswer, "answer")
}

// send tells jail why there is nothing but a failure.
func (f *Failure) send(to *os.File) error {
	if to == nil {
		return nil
	}
	text, err := runner.Answer{Error: &f.Thrown}.Encode("")
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// tell writes a failure for people to read.
func (f *Failure) tell() {
	text := "jail: wasm: " + f.Error() + "\n"
	if f.Trace != "" {
		text += strings.TrimRight(f.Trace, "\n") + "\n"
	}
	os.Stderr.WriteString(text)
}
