// Command go is jail as a subprocess of a Go program, with the types of package jail:
//
//	go run ./examples/go eval --profile python <request.json
//
// A program that can run jail in its own process takes packages profiles, runner and
// jail instead; see the examples there.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/seed-75010da9/jail/jail"
)

// run starts jail and returns its record. The end of ctx ends the box.
func run(ctx context.Context, args []string, stdin io.Reader) (jail.Result, error) {
	command := exec.CommandContext(ctx, "jail", args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // the record still comes
	command.Stdin, command.Stderr = stdin, os.Stderr
	out, err := command.Output()
	var record jail.Result
	// Its exit status says less than the record, which is whole if a newline ends it.
	if !bytes.HasSuffix(out, []byte{'\n'}) || json.Unmarshal(out, &record) != nil || record.Schema != jail.Schema {
		if err == nil {
			err = errors.New("it ended with exit status 0")
		}
		return jail.Result{}, fmt.Errorf("jail left no record: %w", err)
	}
	return record, nil
}

// answerTo is what a record comes to: see the table in README.md.
func answerTo(record jail.Result) string {
	switch record.Reason {
	case jail.ReasonOK:
		return "value"
	case jail.ReasonExecutionFailed, jail.ReasonSignaled, jail.ReasonInvalidOutput, jail.ReasonExecFailed, jail.ReasonSyscallDenied:
		return "mistake"
	case jail.ReasonTimeout, jail.ReasonCPUTime, jail.ReasonOutputTooLarge, jail.ReasonOutOfMemory, jail.ReasonPidsLimit, jail.ReasonDiskFull:
		return "limit"
	case jail.ReasonCanceled:
		return "canceled"
	case jail.ReasonSetupRefused:
		return "host"
	case jail.ReasonInternalError:
	}
	return "broken" // also of a version that this program does not know
}

func main() {
	record, err := run(context.Background(), os.Args[1:], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch answer := answerTo(record); {
	case answer != "value":
		fmt.Printf("%s %s: %s\n", answer, record.Reason, record.Message)
	case record.Value != nil:
		fmt.Printf("value %s\n", record.Value)
	case record.Stdout.Encoding != "": // base64 of what is no UTF-8
		fmt.Printf("value %s %q\n", record.Stdout.Encoding, record.Stdout.Text)
	default:
		text, _ := json.Marshal(record.Stdout.Text)
		fmt.Printf("value %s\n", text)
	}
}
