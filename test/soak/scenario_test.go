package soak

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// A scenario is a program, its limits, and the one reason for which it ends.
type scenario struct {
	name  string
	over  profiles.Overrides
	args  []string
	stdin string // a file of the host; empty is none
	wants jail.Reason
	check func(jail.Result) error // what else the record must say
	act   act
}

// act is what is done to a run once its program says that it is up.
type act int

const (
	leave   act = iota
	cancel      // the caller ends it
	killOne     // PID 1 of the box is killed from outside
)

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

// up is a program that says so and then waits for its end.
func up() []string { return shell("echo up; while :; do sleep 60; done") }

const (
	kib = 1 << 10
	mib = 1 << 20
)

// scenarios cause every reason there is, except invalid_output, which no single
// run has. Several end with a tree of processes alive that only the box's end
// takes away.
func scenarios() []scenario {
	limits := func(l jail.Limits) profiles.Overrides { return profiles.Overrides{Limits: l} }
	list := []scenario{
		{name: "ok", args: shell("echo hello; echo oops >&2"), wants: jail.ReasonOK, check: wrote(6, 5)},
		{name: "true", args: []string{"/bin/true"}, wants: jail.ReasonOK},
		{name: "endless input", args: shell("head -c 100000"), stdin: "/dev/zero", wants: jail.ReasonOK, check: wrote(100000, 0)},
		{name: "unread input", args: []string{"/bin/true"}, stdin: "/dev/zero", wants: jail.ReasonOK},
		{name: "daemon left behind", args: shell("setsid sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & exit 0"), wants: jail.ReasonOK},
		{name: "many left behind", args: shell("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; exit 3"), wants: jail.ReasonExecutionFailed, check: exited(3)},
		{name: "fails", args: shell("exit 42"), wants: jail.ReasonExecutionFailed, check: exited(42)},
		{name: "signaled", args: shell("kill -TERM $$"), wants: jail.ReasonSignaled, check: signaled("SIGTERM")},
		{name: "timeout", over: limits(jail.Limits{Timeout: 3 * time.Second}), args: shell("sleep 1000 & setsid sleep 1000 & wait"), wants: jail.ReasonTimeout},
		{name: "deaf timeout", over: limits(jail.Limits{Timeout: 3 * time.Second}), args: shell("trap '' TERM INT HUP; while :; do sleep 1; done"), wants: jail.ReasonTimeout},
		{name: "cpu time", over: limits(jail.Limits{CPUTime: 50 * time.Millisecond, Timeout: time.Minute}), args: shell("while :; do :; done"), wants: jail.ReasonCPUTime},
		{name: "output", over: limits(jail.Limits{Output: 64 * kib}), args: []string{"/usr/bin/yes"}, wants: jail.ReasonOutputTooLarge},
		{name: "output of many", over: limits(jail.Limits{Output: 64 * kib}), args: shell("yes & yes >&2 & wait"), wants: jail.ReasonOutputTooLarge},
		{name: "truncated", over: profiles.Overrides{Limits: jail.Limits{Output: 64 * kib}, OutputMode: jail.OutputTruncate}, args: shell("head -c 4194304 /dev/zero"), wants: jail.ReasonOK, check: wrote(4*mib, 0)},
		{name: "memory", over: limits(jail.Limits{Memory: 16 * mib}), args: []string{"/usr/bin/tail", "/dev/zero"}, wants: jail.ReasonOutOfMemory},
		{name: "memory of a child", over: limits(jail.Limits{Memory: 16 * mib}), args: shell("tail /dev/zero & sleep 1000"), wants: jail.ReasonOutOfMemory},
		{name: "pids", over: limits(jail.Limits{Pids: 6}), args: shell("for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; wait"), wants: jail.ReasonPidsLimit},
		{name: "disk", over: limits(jail.Limits{TmpSize: mib}), args: []string{"/bin/dd", "if=/dev/zero", "of=/tmp/full", "bs=64K", "status=none"}, wants: jail.ReasonDiskFull},
		{name: "refused", over: profiles.Overrides{Require: []string{"landlock>=99"}}, args: []string{"/bin/true"}, wants: jail.ReasonSetupRefused},
		{name: "not found", args: []string{"/no/such/program"}, wants: jail.ReasonExecFailed},
		{name: "not executable", args: []string{"/usr/share"}, wants: jail.ReasonExecFailed},
		{name: "canceled", args: up(), wants: jail.ReasonCanceled, act: cancel},
		{name: "PID 1 killed", args: up(), wants: jail.ReasonInternalError, act: killOne},
	}
	if runtime.GOARCH == "amd64" {
		list = append(list, scenario{name: "foreign call", args: []string{path(foreignName)}, wants: jail.ReasonSyscallDenied})
	}
	return list
}

func wrote(stdout, stderr int64) func(jail.Result) error {
	return func(r jail.Result) error {
		if r.Stdout.Bytes != stdout || r.Stderr.Bytes != stderr {
			return fmt.Errorf("%d and %d bytes of output, want %d and %d", r.Stdout.Bytes, r.Stderr.Bytes, stdout, stderr)
		}
		return nil
	}
}

func exited(code int) func(jail.Result) error {
	return func(r jail.Result) error {
		if r.ExitCode == nil || *r.ExitCode != code {
			return fmt.Errorf("exit code %v, want %d", r.ExitCode, code)
		}
		return nil
	}
}

func signaled(name string) func(jail.Result) error {
	return func(r jail.Result) error {
		if r.Signal == nil || *r.Signal != name {
			return fmt.Errorf("signal %v, want %s", r.Signal, name)
		}
		return nil
	}
}

// judge compares a record with what the scenario wants.
func (s scenario) judge(r jail.Result) error {
	if r.Reason != s.wants {
		return fmt.Errorf("%s: reason %s, want %s: %s", s.name, r.Reason, s.wants, r.Message)
	}
	if !r.TreeEmpty {
		return fmt.Errorf("%s: tree_empty is false: %s", s.name, r.Message)
	}
	if s.check == nil {
		return nil
	}
	if err := s.check(r); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// flags says on the command line what the scenario's overrides say in Go.
func (s scenario) flags() []string {
	l := s.over.Limits
	var f []string
	add := func(name, value string, given bool) {
		if given {
			f = append(f, name, value)
		}
	}
	add("--timeout", l.Timeout.String(), l.Timeout != 0)
	add("--cpu-time", l.CPUTime.String(), l.CPUTime != 0)
	add("--memory", fmt.Sprint(l.Memory), l.Memory != 0)
	add("--pids", fmt.Sprint(l.Pids), l.Pids != 0)
	add("--output", fmt.Sprint(l.Output), l.Output != 0)
	add("--tmp-size", fmt.Sprint(l.TmpSize), l.TmpSize != 0)
	add("--output-mode", string(s.over.OutputMode), s.over.OutputMode != "")
	add("--stdin", s.stdin, s.stdin != "")
	add("--require", strings.Join(s.over.Require, ","), len(s.over.Require) > 0)
	return f
}

// TestScenariosCauseEveryReason keeps the list complete.
func TestScenariosCauseEveryReason(t *testing.T) {
	caused := map[jail.Reason]bool{jail.ReasonSyscallDenied: runtime.GOARCH != "amd64"}
	for _, s := range scenarios() {
		caused[s.wants] = true
	}
	for _, r := range []jail.Reason{
		jail.ReasonOK, jail.ReasonExecutionFailed, jail.ReasonSignaled, jail.ReasonTimeout, jail.ReasonCPUTime,
		jail.ReasonOutputTooLarge, jail.ReasonOutOfMemory, jail.ReasonPidsLimit, jail.ReasonDiskFull, jail.ReasonSyscallDenied,
		jail.ReasonCanceled, jail.ReasonSetupRefused, jail.ReasonExecFailed, jail.ReasonInternalError,
	} {
		if !caused[r] {
			t.Errorf("no scenario ends with %s", r)
		}
	}
}
