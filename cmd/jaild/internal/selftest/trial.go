package selftest

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-75010da9/jail/internal/attacks"
	"golang.org/x/sys/unix"
)

// A trial is one run's attacks.T.
type trial struct {
	cleanups []func()
	failed   *setUpError
}

// A setUpError is that what is attacked could not be set up.
type setUpError struct {
	text  string
	cause error
}

func (e *setUpError) Error() string { return e.text }

// refused says whether the kernel did not let it be set up.
func (e *setUpError) refused() bool {
	for _, errno := range []unix.Errno{unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EOPNOTSUPP, unix.EROFS} {
		if errors.Is(e.cause, errno) {
			return true
		}
	}
	return false
}

func (t *trial) Helper() {}

func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *trial) Error(args ...any) {
	t.failed = &setUpError{text: strings.TrimSuffix(fmt.Sprintln(args...), "\n")}
	for _, a := range args {
		if err, ok := a.(error); ok {
			t.failed.cause = err
		}
	}
}

func (t *trial) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

func (t *trial) Fatalf(format string, args ...any) {
	t.failed = &setUpError{text: fmt.Sprintf(format, args...), cause: fmt.Errorf(format, args...)}
	runtime.Goexit()
}

// do runs f, which t may give up, and what was asked for in the end.
func (t *trial) do(f func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			for i := len(t.cleanups) - 1; i >= 0; i-- {
				t.cleanups[i]()
			}
		}()
		f()
	}()
	<-ended
}

// once carries a proof out.
func once(r attacks.Row, who attacks.Role, p attacks.Proof, carry carrier) (verdict attacks.Verdict, err error) {
	var t trial
	verdict, err = attacks.Nothing, errors.New("it was given up")
	t.do(func() { verdict, err = carry(r, &t, who, p) })
	if t.failed != nil && verdict != attacks.Escaped {
		return attacks.Nothing, t.failed
	}
	return verdict, err
}
