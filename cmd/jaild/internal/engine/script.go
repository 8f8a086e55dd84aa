package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
)

// A script is one source of `jail eval --profile wasm`. Its answer is written here, with
// the token that says who wrote it: neither that nor the descriptor is in the module's
// reach.
type script struct {
	*vm
	memory  *memoryCap
	request runner.EngineRequest
	answers io.Writer
	status  int // once answered
	done    bool
	failed  error // the answer could not be written
}

// javascript is `jaild wasm … --javascript`.
func javascript(ctx context.Context, o options, in io.Reader, answers *os.File) int {
	if answers == nil {
		fmt.Fprintln(os.Stderr, "jail: wasm: JavaScript: is run by `jail eval --profile wasm`, which takes its value")
		return statusBroken
	}
	s := &script{answers: answers}
	if err := json.NewDecoder(in).Decode(&s.request); err != nil {
		fmt.Fprintln(os.Stderr, "jail: wasm: request:", err)
		return statusBroken
	}
	e, err := newEngine(ctx, o)
	if err == nil {
		s.memory = e.memory
		s.memory.keepSpare()
		s.vm, err = newVM(e)
	}
	if err == nil {
		err = s.run()
	}
	switch {
	case s.done && s.failed == nil:
		return s.status
	case err == nil:
		err = s.failed
	}
	failure := s.failure(e, err)
	if failure.status != statusTrap {
		failure.tell()
	}
	s.send(runner.Answer{Error: &failure.Thrown}, failure.status)
	return failure.status
}

// run runs the source until it has answered, or nothing of it is left to run.
func (s *script) run() error {
	begin, next, err := s.start()
	if err != nil {
		return err
	}
	source, input, limit := s.text(s.request.Source), s.text(string(s.request.Input)), s.text(fmt.Sprint(s.request.Limit))
	if s.threw(s.apply(begin, source, input, limit)) {
		s.gaveUp()
	}
	s.drop(source)
	s.drop(input)
	for s.err == nil && !s.done {
		switch ran := int32(s.call("run_job")); {
		case s.err != nil || s.done || ran > 0:
		case ran < 0:
			s.gaveUp()
		default:
			s.nextTimer(next)
		}
	}
	return s.err
}

// nextTimer runs or waits for a timer. If there is none, nothing will happen any more.
func (s *script) nextTimer(next value) {
	result := s.apply(next)
	if s.threw(result) {
		s.gaveUp()
		return
	}
	switch wait := s.number(result); {
	case s.done || s.err != nil || wait == 0:
	case wait > 0:
		s.sleep(wait)
	case s.memory.spent(): // for what was to settle, or to tell of it, there was none
		s.threwError(outOfMemory())
	default:
		s.send(runner.Answer{Error: &jail.Thrown{Name: "UnsettledPromise", Message: "nothing is left to run, and what the source awaits has not settled"}}, statusUnsettled)
	}
}

// sleep waits for the next timer, in milliseconds.
func (s *script) sleep(ms float64) {
	const most = float64(time.Hour / time.Millisecond)
	select {
	case <-time.After(time.Duration(min(ms, most)) * time.Millisecond):
	case <-s.ctx.Done():
		s.err = s.ctx.Err()
	}
}

// The exit statuses of a source: as Node.js has them.
const (
	statusThrew     = 1
	statusUnsettled = 13
)

// start starts the runner, and returns what it does.
func (s *script) start() (begin, next value, err error) {
	main := s.evaluate(runner.QuickJS(), "runner.js", 1, false)
	host := value(s.call("object"))
	for name, f := range map[string]func([]value) value{
		"write": s.print, "className": s.className, "answer": s.answered, "compile": s.compile,
	} {
		key := s.bytes(name)
		s.call("set", uint64(host), key, uint64(s.lend(name, f)))
		s.call("release", key)
	}
	own := s.apply(main, host)
	if s.err == nil && (s.threw(main) || s.threw(own)) {
		thrown := value(s.call("thrown"))
		return 0, 0, errors.Join(fmt.Errorf("its runner does not start: %s", s.string(s.property(thrown, "message"))), s.err)
	}
	rejected := s.property(own, "rejected")
	s.reject = func(promise, reason, handled value) { s.apply(rejected, promise, reason, handled) }
	return s.property(own, "begin"), s.property(own, "next"), s.err
}

// print is write(fd, text) of the runner.
func (s *script) print(args []value) value {
	to := os.Stdout
	if len(args) != 2 {
		return s.exception
	}
	if s.number(args[0]) == 2 {
		to = os.Stderr
	}
	to.WriteString(s.string(args[1]))
	return s.undefined
}

// className is className(value): what kind of object it is, which no source can change.
func (s *script) className(args []value) value {
	if len(args) != 1 {
		return s.exception
	}
	return value(s.call("class_name", uint64(args[0])))
}

// compile is compile(source): the function whose body it is, with its own line numbers.
func (s *script) compile(args []value) value {
	if len(args) != 1 {
		return s.exception
	}
	source := s.string(args[0])
	// A first line of 0 would be taken for none.
	h := s.evaluate("({ async ''(input) {\n\n"+source+"\n} })['']", "source.js", -1, false)
	if s.threw(h) {
		return s.exception
	}
	// A source that ends the function and begins another would have to go on with a comma
	// or a brace there, and with a statement here.
	other := s.evaluate("async function source(input) {\n\n"+source+"\n}", "source.js", -1, true)
	if s.threw(other) {
		return s.exception
	}
	s.drop(other)
	return h
}

// answered is answer(kind, document) of the runner.
func (s *script) answered(args []value) value {
	if len(args) != 2 {
		return s.exception
	}
	kind, document := s.string(args[0]), s.string(args[1])
	switch kind {
	case "value":
		s.send(runner.Answer{Value: json.RawMessage(document)}, 0)
	case "error":
		var thrown jail.Thrown
		json.Unmarshal([]byte(document), &thrown)
		s.threwError(thrown)
	case "invalid":
		why := new(string)
		json.Unmarshal([]byte(document), why)
		if s.memory.refused > 0 && (*why == unread+"null" || *why == unread+"InternalError: "+runner.OutOfMemory) {
			s.threwError(outOfMemory()) // it is not the value that is wrong
			break
		}
		s.send(runner.Answer{Invalid: why}, 0)
	case "over": // more than jail takes: it ends the box for it
		s.done, s.status = true, statusThrew
		io.WriteString(s.answers, document)
	}
	return s.undefined
}

// unread begins what value.js says of a value that threw when it was read.
const unread = "value can not be read: "

// send writes the answer. The first one counts: a source can have the runner give more.
func (s *script) send(a runner.Answer, status int) {
	if s.done {
		return
	}
	s.done, s.status = true, status
	text, err := a.Encode(s.request.Token)
	if err == nil {
		_, err = s.answers.Write(text)
	}
	s.failed = err
}
