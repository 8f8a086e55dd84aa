package engine

import (
	"errors"
	"fmt"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
)

// failure is what ended a script from outside of its language.
func (s *script) failure(e *engine, err error) *Failure {
	if errors.Is(err, errNoRoom) {
		return &Failure{Thrown: outOfMemory(), status: statusThrew}
	}
	_, failure := e.ended(err)
	if failure == nil || failure.status == statusNoModule { // QuickJS itself is one
		return broken(fmt.Errorf("QuickJS: %w", err))
	}
	return failure
}

func outOfMemory() jail.Thrown {
	return jail.Thrown{Name: "InternalError", Message: runner.OutOfMemory}
}

// threwError answers with what was thrown: null where QuickJS had no memory for an error.
func (s *script) threwError(t jail.Thrown) {
	if t.Name == "null" && s.memory.spent() {
		t = outOfMemory()
	}
	s.send(runner.Answer{Error: &t}, statusThrew)
}

// gaveUp answers for a runner that threw itself: where there is no memory any more it
// can't tell what was thrown.
func (s *script) gaveUp() {
	thrown := value(s.call("thrown"))
	told := outOfMemory()
	if message := s.string(s.property(thrown, "message")); message != "" {
		told.Message = message
	}
	s.threwError(told)
}
