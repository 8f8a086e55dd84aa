package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// inParallel runs a shuffled mix of the scenarios and reports every run that
// did not end as it should.
func inParallel(t *testing.T, list []scenario, run func(i int, s scenario) error) {
	t.Helper()
	size := wanted()
	mix := make([]scenario, size.runs)
	for i := range mix {
		mix[i] = list[i%len(list)]
	}
	chance(t).Shuffle(len(mix), func(i, j int) { mix[i], mix[j] = mix[j], mix[i] })
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range size.atATime {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(mix)); i = next.Add(1) - 1 {
				if err := run(int(i), mix[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d runs, %d at a time: %v", len(mix), size.atATime, time.Since(began).Round(time.Millisecond))
}

// TestMixOfCommands runs `jail run`, every reason mixed: half with the output
// streamed, half with it captured in the record.
func TestMixOfCommands(t *testing.T) {
	needGroups(t)
	label := label("cli")
	before := look(t)
	inParallel(t, scenarios(), func(i int, s scenario) error {
		if s.act == leave && i%2 == 0 {
			return s.captured(label)
		}
		return s.streamed(label)
	})
	before.sameAs(t, label)
}

// captured runs the scenario with --json.
func (s scenario) captured(label string) error {
	ctx, cancel := context.WithTimeout(context.Background(), hung)
	defer cancel()
	flags := append([]string{"run", "--json", "--name", label}, s.flags()...)
	cmd := exec.CommandContext(ctx, path("jail"), append(append(flags, "--"), s.args...)...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	r, err := decode(out)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return s.finished(*r, cmd.ProcessState.Sys().(syscall.WaitStatus))
}

// finished judges the record and the exit status, which must say the same.
func (s scenario) finished(r jail.Result, status syscall.WaitStatus) error {
	if err := s.judge(r); err != nil {
		return err
	}
	want := r.ExitStatus()
	if s.act == cancel {
		want = 128 + int(syscall.SIGTERM)
	}
	if !status.Exited() || status.ExitStatus() != want {
		return fmt.Errorf("%s: wait status %#x, want exit status %d", s.name, uint32(status), want)
	}
	return nil
}

// streamed runs the scenario with the record on a descriptor, and does to it
// what the scenario says.
func (s scenario) streamed(label string) error {
	v, err := begin(identity{}, label, s.flags(), s.args)
	if err != nil {
		return err
	}
	if s.act != leave {
		select {
		case <-v.up.first:
		case <-time.After(hung):
		}
	}
	switch s.act {
	case cancel:
		v.cmd.Process.Signal(syscall.SIGTERM)
	case killOne:
		for _, pid := range children(v.cmd.Process.Pid) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	r, status, err := v.end()
	if err != nil || r == nil {
		return fmt.Errorf("%s: no record, wait status %#x: %w", s.name, uint32(status), err)
	}
	return s.finished(*r, status)
}

// TestMixOfCalls does the same through the Go API, from many goroutines of this
// one process, which must not keep anything of it.
func TestMixOfCalls(t *testing.T) {
	needGroups(t)
	label := label("api")
	var list []scenario
	for _, s := range scenarios() {
		if s.act != killOne { // whose PID 1 is whose can't be seen from inside
			list = append(list, s)
		}
	}
	// What the runtime opens once and keeps is not what is looked for.
	for _, s := range list {
		if err := s.called(t.Context(), label, 1); err != nil {
			t.Error(err)
		}
	}
	before := look(t)
	inParallel(t, list, func(i int, s scenario) error { return s.called(t.Context(), label, i) })
	before.sameAs(t, label)
}

// called runs the scenario in this process.
func (s scenario) called(parent context.Context, label string, i int) error {
	ctx, end := context.WithTimeout(parent, hung)
	defer end()
	host := profiles.CurrentHost()
	p, err := profiles.Load("exec", host)
	if err != nil {
		return err
	}
	over := s.over
	over.Name = label
	spec, err := p.Spec(s.args, over, host)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	var io jail.IO
	if s.stdin != "" {
		f, err := os.Open(s.stdin)
		if err != nil {
			return err
		}
		defer f.Close()
		io.Stdin = f
	}
	if s.act == cancel || i%2 == 1 {
		first := newWatcher()
		io.Stdout, io.Stderr = first, newWatcher()
		if s.act == cancel {
			stop := context.AfterFunc(ctx, end)
			defer stop()
			go func() { // ends with the run at the latest
				select {
				case <-first.first:
				case <-ctx.Done():
				}
				end()
			}()
		}
	}
	r, err := jail.RunIO(ctx, spec, io)
	if s.act != cancel && ctx.Err() != nil {
		return fmt.Errorf("%s: not over after %v: %s", s.name, hung, r.Message)
	}
	refused := r.Reason == jail.ReasonSetupRefused || r.Reason == jail.ReasonExecFailed || r.Reason == jail.ReasonInternalError
	if (err != nil) != refused {
		return fmt.Errorf("%s: reason %s with error %w", s.name, r.Reason, err)
	}
	return s.judge(r)
}
