package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

// onThisMachine runs the jobs without a guest. Suites that make the places that
// they are run in are run here only.
func (b bout) onThisMachine(ctx context.Context) result {
	var u unix.Utsname
	unix.Uname(&u)
	r := b.begin()
	r.Kernel = unix.ByteSliceToString(u.Release[:])
	for _, s := range b.suites {
		for _, job := range s.jobs(b) {
			j, err := b.runHere(ctx, job)
			if err != nil || ctx.Err() != nil {
				r.Fault = fmt.Sprint(err)
				return r
			}
			if !s.listed() {
				j.Passes = nil
			}
			r.Jobs = append(r.Jobs, j)
		}
	}
	return r
}

// runHere runs one job to its end, or to its limit.
func (b bout) runHere(ctx context.Context, job order.Job) (ended, error) {
	ctx, cancel := context.WithTimeout(ctx, job.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, job.Args[0], job.Args[1:]...)
	cmd.Dir, cmd.Env = job.Dir, slices.Concat(os.Environ(), job.Env, []string{"PATH=" + b.work.dir + "/bin:" + os.Getenv("PATH")})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = time.Second
	began := time.Now()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return ended{}, err
	}
	end := order.End{Exit: cmd.ProcessState.ExitCode(), Late: ctx.Err() != nil, TookMS: time.Since(began).Milliseconds()}
	return b.finish(job, end, []byte(strings.ToValidUTF8(string(out), "?")))
}
