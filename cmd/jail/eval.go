package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
	"golang.org/x/sys/unix"
)

// evalOptions are the flags that only eval has.
type evalOptions struct {
	source, input string
	reads         bool // it is an eval, which reads before anything runs
	believes      bool // what is answered is believed, so the box brings no interpreter
}

// evalCommand is `jail eval`: a source in, its value in the record out.
func evalCommand(args []string) int {
	ctx := watchSignals()
	line := parseOf("eval", evalFlags(), args)
	var o options
	line.apply(&o)
	if o.help {
		return printHelp("eval")
	}
	o.json, o.eval.reads, o.eval.believes = true, true, true
	target, err := toStdout()
	if err != nil { // before the request is read: nothing can come of it
		printError(err)
		return exitRefused
	}
	host := profiles.CurrentHost()
	limit := limitSetup(o, host)
	if len(line.rest) > 0 {
		line.fault("argument", line.rest[0], "must not be there: the source comes on stdin, in the request, or by --source")
	}
	language := line.language(o, host)
	request, err := line.readRequest(ctx, o, host)
	if errors.Is(err, errCanceled) {
		line.faults = nil // the run that follows is canceled before it begins
	}
	if language != "" && err == nil {
		if err = request.Check(language); err != nil {
			line.add(err, o)
			request = runner.Request{} // what it is too long for is told once
		}
	}
	var spec jail.Spec
	if language == "" {
		spec = line.flagsAlone(o, host)
	} else {
		line.rest = language.Command(request)
		spec = line.compose(o, host, limit)
		line.lookAtHost(spec, o)
	}
	limit.over()
	if len(line.faults) > 0 {
		return refuse(spec, line.faults, jail.StageValidate, target)
	}
	spec.Profile.Dir = host.Dir
	res, err := runner.Eval(ctx, spec, language, request)
	var faults jail.Faults
	if errors.As(err, &faults) { // found by looking at the host
		return refuse(spec, line.named(faults, spec, o), jail.StageValidate, target)
	}
	return finish(res, o, target)
}

// language is that of the profile.
func (c *commandLine) language(o options, host profiles.Host) runner.Language {
	accepted := fmt.Sprintf("name one of %v, or a profile that extends one of them", runner.Languages())
	if o.profile == "" {
		c.fault("--profile", "", accepted)
		return ""
	}
	p, err := profiles.Load(o.profile, host)
	if err != nil {
		c.errors(err, "--profile", o.profile, o)
		return ""
	}
	l, ok := runner.Of(p.Interpreter())
	if !ok {
		c.fault("--profile", o.profile, "there is no runner for its programs; "+accepted)
	}
	return l
}

// readRequest reads what is to be evaluated. What is wrong with it is among the
// line's faults, and err not nil then.
func (c *commandLine) readRequest(ctx context.Context, o options, host profiles.Host) (r runner.Request, err error) {
	read := func(field, name string) []byte {
		if err != nil {
			return nil
		}
		var text []byte
		if text, err = readAll(ctx, host, name); err != nil {
			c.fault(field, name, reason(err))
		}
		return text
	}
	switch {
	case o.eval.source == "" && o.eval.input != "":
		err = errors.New("no source")
		c.fault("--input", o.eval.input, "needs --source; without that, both come on stdin")
	case o.eval.source == "-" && o.eval.input == "-":
		err = errors.New("stdin twice")
		c.fault("--source, --input", "-", "can't both be stdin")
	case o.eval.source != "":
		r.Source = string(read("--source", o.eval.source))
		if o.eval.input != "" {
			// What is empty is no JSON, rather than no input.
			r.Input = append(json.RawMessage(nil), orSpace(read("--input", o.eval.input))...)
		}
	default:
		text := read("request", "-")
		if err == nil {
			r, err = runner.ParseRequest(text)
			c.add(err, o)
		}
	}
	return r, err
}

// add adds what is wrong with the request, if anything is.
func (c *commandLine) add(err error, o options) {
	if err != nil {
		c.errors(err, "request", "", o)
	}
}

func orSpace(b []byte) []byte {
	if len(b) == 0 {
		return []byte(" ")
	}
	return b
}

var errCanceled = errors.New("canceled")

// readAll reads a file, as --stdin names it, until a signal comes.
func readAll(ctx context.Context, host profiles.Host, name string) ([]byte, error) {
	in, err := openStdin(host, name)
	if err != nil {
		return nil, err
	}
	f, ok := in.(*os.File)
	if p, isPipe := in.(*pipe); isPipe {
		f, ok = p.from, true
	}
	if !ok {
		return nil, errors.New("must be a file or a pipe")
	}
	var text []byte
	for {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}, {Fd: int32(interrupt.Of(ctx)), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return nil, fmt.Errorf("poll: %w", err)
		}
		if fds[1].Revents != 0 {
			return nil, errCanceled
		}
		if fds[0].Revents == 0 {
			continue
		}
		text = slices.Grow(text, 64<<10)
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		if len(text) > runner.MaxRequest {
			return nil, fmt.Errorf("must be at most %d bytes", runner.MaxRequest)
		}
	}
}

// evalFlags are the flags of run that mean something where the record is the answer.
func evalFlags() []flagDef {
	flags := []flagDef{
		{name: "source", value: "-|FILE|fd:N", group: groupProgram, words: wordFile,
			usage: "what to evaluate, instead of a request on stdin", accept: "-, a readable file, or fd:N for a descriptor that is open",
			set: parsed(asIs[string], func(o *options) *string { return &o.eval.source })},
		{name: "input", value: "-|FILE|fd:N", group: groupProgram, words: wordFile,
			usage: "with --source: JSON that the source finds as its input", accept: "-, a readable file, or fd:N for a descriptor that is open", preset: "null",
			set: parsed(asIs[string], func(o *options) *string { return &o.eval.input })},
	}
	for _, f := range runFlags() {
		switch {
		case slices.Contains([]string{"via", "stdin", "tty", "record", "quiet"}, f.name):
		case f.name == "profile":
			f.preset, f.usage = "", "the language: node, python, sh or wasm (JavaScript in a WebAssembly engine), or a profile that extends one of them"
			flags = slices.Insert(flags, 0, f)
		case f.name == "json": // typed by habit
			f.usage = "print the record on stdout, which eval does anyway"
			flags = append(flags, f)
		case f.name == "output":
			f.usage = "bytes on stdout and stderr together, and of the value"
			flags = append(flags, f)
		default:
			flags = append(flags, f)
		}
	}
	return flags
}
