package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// grace is how much later than the box's deadline the engine's own is: the supervisor
// is to end the box first, whose record says why.
const grace = time.Second

// collectAt is how much memory the engine lets garbage take, in bytes: what compiling
// leaves is to be gone before the module needs its own.
const collectAt = 48 << 20

// Main is `jaild wasm`, and returns its exit status. It is what the box runs.
func Main(args []string) int {
	answers := takeAnswers()
	o, err := parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jail: wasm:", err)
		return statusBroken
	}
	debug.SetMemoryLimit(collectAt)
	ctx, end := context.WithTimeout(context.Background(), o.timeout+grace)
	defer end()
	time.AfterFunc(o.timeout+2*grace, func() { // it waits in a call, where the context is not seen
		failure := late()
		failure.tell()
		os.Exit(failure.status)
	})
	if o.javascript {
		return javascript(ctx, o, os.Stdin, answers)
	}
	if answers != nil {
		// Where Go's runtime ends the engine, as for a count of 4 billion in a module that
		// asks for more memory than there is, jail reads of it there; see runner.JudgeModule.
		if err := debug.SetCrashOutput(answers, debug.CrashOptions{}); err != nil {
			fmt.Fprintln(os.Stderr, "jail: wasm: answer:", err)
			return statusBroken
		}
	}
	status, failure := runModule(ctx, o)
	if failure == nil {
		return status
	}
	if failure.Name != runner.MemoryRefused { // what a module says itself it has said
		failure.tell()
	}
	if err := failure.send(answers); err != nil {
		fmt.Fprintln(os.Stderr, "jail: wasm: answer:", err)
	}
	return failure.status
}

// An engine has what modules share.
type engine struct {
	runtime wazero.Runtime
	memory  *memoryCap
	ctx     context.Context // with the memory's cap
	started bool            // code of the module has run
}

func newEngine(ctx context.Context, o options) (*engine, error) {
	config := wazero.NewRuntimeConfigCompiler()
	if o.interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	memory := &memoryCap{left: o.memory}
	ctx = experimental.WithMemoryAllocator(ctx, memory)
	e := &engine{runtime: wazero.NewRuntimeWithConfig(ctx, config.WithCloseOnContextDone(true)), memory: memory, ctx: ctx}
	_, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime)
	return e, err
}

// runModule runs what the arguments name.
func runModule(ctx context.Context, o options) (status int, failure *Failure) {
	binary, failure := read(o.module)
	if failure != nil {
		return 0, failure
	}
	e, err := newEngine(ctx, o)
	if err != nil {
		return 0, broken(err)
	}
	compiled, failure := e.compile(binary, o.module)
	if failure != nil {
		return 0, failure
	}
	binary = nil
	all, err := openGrants(o.grants)
	if err != nil {
		return 0, broken(err)
	}
	debug.FreeOSMemory() // what compiling took
	config := streams(wazero.NewModuleConfig().WithArgs(append([]string{o.module}, o.args...)...)).
		WithStdin(stdin(o.module)).
		WithFSConfig(all.mounts(wazero.NewFSConfig(), o.dir))
	for _, kv := range os.Environ() {
		key, value, _ := strings.Cut(kv, "=")
		config = config.WithEnv(key, value)
	}
	status, failure = e.ended(e.instantiate(compiled, config))
	if n := e.memory.refused; failure == nil && status != 0 && n > 0 {
		failure = failed(runner.MemoryRefused, requests(n)+" refused", status)
	}
	return status, failure
}

// instantiate runs a module to its end, if it has a start.
func (e *engine) instantiate(compiled wazero.CompiledModule, config wazero.ModuleConfig) (err error) {
	defer func() {
		// There is no other way to refuse a module the memory that it begins with.
		if p := recover(); p != nil {
			if err = fmt.Errorf("%w: %v", errPanic, p); e.memory.tooLittle {
				err = errMemory
			}
		}
	}()
	// _start is called here, and not by the engine, to know what failed before it.
	module, err := e.runtime.InstantiateModule(e.ctx, compiled, config.WithStartFunctions())
	if err != nil {
		e.started = strings.HasPrefix(err.Error(), "start ") // its start section
		return err
	}
	e.started = true
	if _, err = module.ExportedFunction("_start").Call(e.ctx); err != nil {
		err = fmt.Errorf("_start: %w", err)
	}
	return err
}

var (
	errMemory = errors.New("it begins with more memory than it may have")
	errPanic  = errors.New("panic")
)

func late() *Failure {
	return failed(Deadline, "the engine ended it, since nobody else did: the box's own deadline was over for "+grace.String(), statusDeadline)
}

func requests(n int) string {
	if n == 1 {
		return "1 request for more memory was"
	}
	return fmt.Sprintf("%d requests for more memory were", n)
}

// shortened is what of a trace is told.
func shortened(trace string) string {
	const most = runner.MostTold / 2
	if len(trace) > most {
		return strings.ToValidUTF8(trace[:most], "") + "…"
	}
	return trace
}

// streams are what every module has of the box but its files.
func streams(config wazero.ModuleConfig) wazero.ModuleConfig {
	return config.WithStdout(os.Stdout).WithStderr(os.Stderr).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)
}

func stdin(module string) io.Reader {
	if module == "-" {
		return strings.NewReader("")
	}
	return os.Stdin
}

// ended says what an end means.
func (e *engine) ended(err error) (int, *Failure) {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return 0, nil
	case e.ctx.Err() != nil:
		return 0, late()
	case errors.As(err, &exit):
		return int(min(exit.ExitCode(), statusMost)), nil
	}
	text, trap := strings.CutPrefix(err.Error(), "wasm error: ")
	if !trap {
		_, text, trap = strings.Cut(err.Error(), ": wasm error: ") // of a start section
	}
	if !trap && strings.HasSuffix(err.Error(), ": stack overflow") { // it has no trace
		text, trap = "stack overflow", true
	}
	switch {
	case errors.Is(err, errMemory):
		return 0, noModule(runner.InvalidModule, "%v: raise --memory", err)
	case errors.Is(err, errPanic), !trap && e.started: // what has run is a module that can
		return 0, failed(Broken, shortened(err.Error()), statusBroken)
	case !trap:
		return 0, noModule(runner.InvalidModule, "%v", err)
	}
	what, trace, _ := strings.Cut(text, "\n")
	if n := e.memory.refused; n > 0 {
		what += " (" + requests(n) + " refused before, at its cap: raise --memory)"
	}
	return 0, &Failure{jail.Thrown{Name: runner.Trap, Message: what, Trace: shortened(trace)}, statusTrap}
}
