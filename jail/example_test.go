package jail_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// shell is a box with a shell and the system's programs in it, and no more.
// Package profiles makes such Specs for languages.
func shell(script string) jail.Spec {
	spec := jail.Spec{
		Args: []string{"sh", "-c", script},
		Env:  []string{"PATH=/usr/bin:/bin"},
		// On this host there may be no cgroup to cap the box with. Leave
		// this out to be refused instead.
		Optional: []jail.LayerName{jail.LayerCgroup},
	}
	for _, dir := range []string{"/usr", "/bin", "/lib", "/lib64"} {
		spec.View = append(spec.View, jail.Mount{Kind: jail.MountSystem, Source: dir, Target: dir})
	}
	return spec
}

// A program runs in a box of its own, and what it wrote is in the record.
func ExampleRun() {
	res, err := jail.Run(context.Background(), shell("echo hello from $(hostname); exit 3"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Reason, *res.ExitCode)
	fmt.Print(res.Stdout.Text)
	// Output:
	// execution_failed 3
	// hello from jail
}

// Grants name everything that the program may see. Here it is one file, and
// nothing beside it.
func ExampleRun_grant() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	os.WriteFile(dir+"/data.csv", []byte("a,b\n"), 0o600)
	os.WriteFile(dir+"/secret", []byte("s"), 0o600)

	spec := shell("cat data.csv; ls; echo x >data.csv")
	spec.Dir = "/data"
	spec.View = append(spec.View, jail.Mount{Kind: jail.MountRO, Source: dir + "/data.csv", Target: "/data/data.csv"})
	res, err := jail.Run(context.Background(), spec)
	fmt.Print(res.Stdout.Text, res.Stderr.Text)
	fmt.Println(res.Reason, err)
	// Output:
	// a,b
	// data.csv
	// sh: 1: cannot create data.csv: Read-only file system
	// execution_failed <nil>
}

// Output can be streamed while the program runs, and input fed to it. What is
// streamed is counted against Limits.Output, and not kept.
func ExampleRunIO() {
	spec := shell("tr a-z A-Z")
	res, err := jail.RunIO(context.Background(), spec, jail.IO{Stdin: strings.NewReader("to be streamed\n"), Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Stdout.Bytes, "bytes,", res.Reason)
	// Output:
	// TO BE STREAMED
	// 15 bytes, ok
}

// Reason is a closed set, and the one field to branch on.
func ExampleResult() {
	for _, script := range []string{"true", "exit 3", "kill -TERM $$", "exec sleep 60", "yes"} {
		spec := shell(script)
		spec.Limits.Timeout = 5 * time.Second
		spec.Limits.Output = 1 << 10
		res, err := jail.Run(context.Background(), spec)
		switch res.Reason {
		case jail.ReasonOK:
			fmt.Println("fine")
		case jail.ReasonExecutionFailed:
			fmt.Println("the program failed with code", *res.ExitCode)
		case jail.ReasonSignaled:
			fmt.Println("the program was ended by", *res.Signal)
		case jail.ReasonTimeout, jail.ReasonCPUTime:
			fmt.Println("too slow:", res.Hint)
		case jail.ReasonOutputTooLarge, jail.ReasonOutOfMemory, jail.ReasonPidsLimit, jail.ReasonDiskFull:
			fmt.Println("too much:", res.Message)
		case jail.ReasonSyscallDenied:
			fmt.Println("no program for this machine")
		case jail.ReasonCanceled:
			fmt.Println("we gave up")
		case jail.ReasonExecFailed:
			fmt.Println("there is no such program:", err)
		case jail.ReasonSetupRefused:
			fmt.Println("no box, nothing ran:", err)
		case jail.ReasonInvalidOutput, jail.ReasonInternalError:
			fmt.Println("not the program's fault:", err)
		}
	}
	// Output:
	// fine
	// the program failed with code 3
	// the program was ended by SIGTERM
	// too slow: raise --timeout if the program needs longer
	// too much: ended after it wrote more than 1024 bytes of output
}

// A box that cannot be made is an error with a stage and, where the kernel
// refused, its errno; nothing has run then.
func ExampleSetupError() {
	spec := shell("true")
	spec.Dir = "/no/such/folder"
	_, err := jail.Run(context.Background(), spec)
	var setup *jail.SetupError
	if errors.As(err, &setup) {
		fmt.Println(setup.Stage, setup.Operand, errors.Is(err, os.ErrNotExist))
		fmt.Println(setup.Remedy)
	}
	// Output:
	// session /no/such/folder true
	// the working directory is not in the box, and was not found on the host: make it and grant it, or name another with --cwd
}

// Everything that is wrong with a Spec is found at once, before anything is
// made.
func ExampleFaults() {
	spec := shell("true")
	spec.Limits.Pids = 1
	spec.Net = "host"
	_, err := jail.Run(context.Background(), spec)
	var faults jail.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			fmt.Println(f)
		}
	}
	// Output:
	// limits.pids: "1": must be from 2 to 4194304 processes (PID 1 is one of them)
	// net: "host": must be one of none, loopback
}

// A Pool has boxes ready before they are needed. Each runs one thing and is thrown
// away, so no run finds anything of another.
func ExamplePool() {
	spec := shell("")
	spec.Limits.Timeout = 10 * time.Second // of each run
	pool, err := jail.NewPool(context.Background(), spec, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	for _, script := range []string{"echo one; touch /tmp/mine", "echo two; ls /tmp"} {
		res, err := pool.Run(context.Background(), jail.Command{Args: []string{"sh", "-c", script}, Env: spec.Env}, jail.IO{})
		fmt.Print(res.Stdout.Text)
		fmt.Println(res.Reason, err)
	}
	// Output:
	// one
	// ok <nil>
	// two
	// ok <nil>
}

// Explain makes the plan of a run, and runs nothing.
func ExampleExplain() {
	plan, err := jail.Explain(shell("true"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(plan.Text()) {
		if strings.Contains(line, "pivot_root") || strings.Contains(line, "execve") {
			fmt.Print(strings.TrimSpace(line), "\n")
		}
	}
	// Output:
	// pivot     pivot_root(".", ".")
	// exec      execve("/usr/bin/sh", [3 strings], [1 strings]) = -1 ENOENT
	// exec      execve("/bin/sh", [3 strings], [1 strings])
}
