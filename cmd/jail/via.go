package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/cmd/internal/stream"
	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/internal/threads"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// runVia has a server run spec. signal is a descriptor that can be read from when
// a signal has come.
func runVia(signal int, spec jail.Spec, in io.Reader, o options, line *commandLine, host profiles.Host, target *recordTarget) int {
	// The box that was begun before anybody knew is not needed. Its end takes as long
	// as its namespaces' do, and so goes on meanwhile.
	pid1.Spread()
	discarded := make(chan struct{})
	go func() {
		pid1.DiscardEarly()
		close(discarded)
	}()
	defer func() { <-discarded }()
	v := &viaRun{signal: signal, spec: spec, in: in, capture: o.json}
	res, err := v.run(o.via)
	var failure *viaFailure
	switch {
	case err == nil:
		line.tellMeant(&res, host, o)
		line.tellUnfed(res, o)
		return finish(res, o, target)
	case errors.As(err, &failure) && len(failure.Faults) > 0:
		faults := make(jail.Faults, len(failure.Faults))
		for i, f := range failure.Faults {
			faults[i] = jail.Fault(f)
		}
		return refuse(spec, line.named(request.OfSpec(faults), spec, o), jail.StageValidate, target)
	case !v.started:
		return refuse(spec, jail.Faults{{Field: "--via", Value: o.via, Want: err.Error()}}, jail.StageResolve, target)
	}
	// What became of the box is not known; a server that is gone leaves none.
	res = refusal(spec, jail.Faults{{Field: "--via", Value: o.via, Want: err.Error()}}, jail.StageSupervise)
	res.Reason, res.Refusal, res.TreeEmpty = jail.ReasonInternalError, nil, false
	return finish(res, o, target)
}

// A viaFailure is the server's answer in the place of a record.
type viaFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Faults  []struct {
		Field string `json:"field"`
		Value string `json:"value"`
		Want  string `json:"want"`
	} `json:"faults"`
}

func (f *viaFailure) Error() string { return f.Message }

// A viaRun is one run in a server's box.
type viaRun struct {
	signal  int
	spec    jail.Spec
	in      io.Reader
	capture bool

	conn    *viaConn
	sender  *stream.Sender
	input   *stream.Outlet
	outputs map[stream.Kind]*stream.Inlet
	started bool // the run has begun
	record  []byte
	failure []byte
}

// answerGrace is how long past its own timeout a run's record may take to come,
// and a cancellation's.
const answerGrace = 10 * time.Second

func (v *viaRun) run(socket string) (jail.Result, error) {
	r := request.Of(v.spec)
	r.StdinFrames, r.Capture = v.in != nil, v.capture
	body, err := json.Marshal(r)
	if err != nil {
		return jail.Result{}, err
	}
	if len(body) > request.MostBytes {
		return jail.Result{}, fmt.Errorf("takes %d bytes of arguments, environment and grants at most, and these are %d", request.MostBytes, len(body))
	}
	if v.conn, err = dialVia(socket, v.signal); err != nil {
		return jail.Result{}, err
	}
	v.sender = stream.NewSender(v.conn)
	already, err := v.conn.upgrade(body)
	if err != nil {
		return jail.Result{}, err
	}
	if threads.Few(threads.Crowd * v.spec.Limits.WithDefaults().Pids) { // which the box may be about to take
		threads.Keep(1)
	}
	v.conn.onSignal = func() { v.sender.Send(stream.Cancel, nil) }
	if v.in != nil {
		v.input = stream.NewOutlet(v.sender, stream.Stdin)
		go v.feed()
	}
	v.outputs = map[stream.Kind]*stream.Inlet{}
	frames := stream.NewReceiver(v.conn, already)
	for {
		kind, payload, err := frames.Next()
		if err == nil {
			err = v.frame(kind, payload)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return jail.Result{}, errors.New("the server ended the connection before the run was over")
		}
		if err != nil {
			return jail.Result{}, err
		}
		if kind == stream.Record && len(payload) == 0 {
			break
		}
	}
	var res jail.Result
	if err := json.Unmarshal(v.record, &res); err != nil {
		return res, fmt.Errorf("the server's record: %w", err)
	}
	return res, nil
}

// frame does what one frame of the server's says.
func (v *viaRun) frame(kind stream.Kind, payload []byte) error {
	switch kind {
	case stream.Started:
		v.started = true
		v.conn.within(v.spec.Limits.WithDefaults().Timeout + answerGrace)
	case stream.Stdout:
		return v.output(kind, os.Stdout, payload)
	case stream.Stderr:
		return v.output(kind, os.Stderr, payload)
	case stream.Credit:
		name, n, err := stream.Number(payload)
		if err != nil || name != stream.Stdin || v.input == nil {
			return stream.ErrProtocol
		}
		return v.input.Give(n)
	case stream.Record:
		v.record = append(v.record, payload...)
	case stream.Failure:
		if len(payload) == 0 {
			return failureOf(v.failure)
		}
		v.failure = append(v.failure, payload...)
	default:
		return stream.ErrProtocol
	}
	return nil
}

// output takes what the program wrote. Whoever copies it to file tells the server
// how far it got: to be through with it is to have written it.
func (v *viaRun) output(kind stream.Kind, file *os.File, payload []byte) error {
	to := v.outputs[kind]
	if to == nil {
		to = stream.NewInlet(func(n int) { v.sender.SendNumber(stream.Credit, kind, uint32(n)) })
		v.outputs[kind] = to
		go func() {
			_, err := to.WriteTo(file)
			var errno syscall.Errno
			if !errors.As(err, &errno) {
				errno = unix.EIO
			}
			v.sender.SendNumber(stream.Lost, kind, uint32(errno))
		}()
	}
	return to.Put(payload)
}

// feed sends the input as far as the program takes it.
func (v *viaRun) feed() {
	buf := make([]byte, stream.MostPayload)
	for {
		room, err := v.input.Take(len(buf))
		if err != nil {
			return
		}
		n, err := v.in.Read(buf[:room])
		v.input.Give(uint32(room - n))
		if n > 0 && v.sender.Send(stream.Stdin, buf[:n]) != nil {
			return
		}
		if err != nil { // a program is not told why its input has ended
			v.sender.Send(stream.StdinEnd, nil)
			return
		}
	}
}

// failureOf reads {"error": …}.
func failureOf(text []byte) error {
	var answer struct {
		Error *viaFailure `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error == nil {
		return fmt.Errorf("what listens there does not answer as `jail serve` does: %.80q", text)
	}
	return answer.Error
}
