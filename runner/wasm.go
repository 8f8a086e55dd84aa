package runner

import (
	"encoding/json"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// An EngineRequest is what a runner that answers on a descriptor finds on its stdin.
type EngineRequest struct {
	Token  string          `json:"token"`  // to be in the answer
	Limit  int64           `json:"limit"`  // what the value may have, in bytes
	Source string          `json:"source"` // as the language is to see it
	Input  json.RawMessage `json:"input,omitempty"`
}

// The names of what can be wrong with a WebAssembly module, as the errors of records
// have them.
const (
	NotModule     = "NotAModule"    // it is no WebAssembly, or can't be read
	InvalidModule = "InvalidModule" // it is, and breaks the rules of it
	MissingImport = "MissingImport" // it needs what is not WASI preview 1
	NoStart       = "NoStart"       // there is no _start to call
	Trap          = "Trap"          // it did what WebAssembly does not allow
	EngineFailure = "EngineFailure" // the engine itself failed at it
	// MemoryRefused is of one that was refused memory, went on and failed by itself: no
	// error of the record's, but a hint.
	MemoryRefused = "MemoryRefused"
)

// oldPython is the name of the error of a Python that the runner is not for.
const oldPython = "OldPython"

// OutOfMemory is the message of the InternalError that QuickJS throws when there is no more.
const OutOfMemory = "out of memory"

// isFull says whether a source of [Wasm] came to the end of its memory, which is what the
// memory cap leaves it: nothing but the engine says so, and a source that throws the same.
func isFull(t jail.Thrown) bool { return t.Name == "InternalError" && t.Message == OutOfMemory }

// statusNoModule is the exit status of the engine for what it can't run, statusCrashed
// that of Go's runtime where it ends the engine.
const (
	statusNoModule = 126
	statusCrashed  = 2
)

// TellsOf says whether a run of spec can take the engine's word on a failure, which counts
// as output and so needs a cap on that, with room for it.
func TellsOf(spec jail.Spec) bool {
	most := spec.Limits.WithDefaults().Output
	return most != jail.Unlimited && most >= 2*MostTold
}

// MostTold is how much of a failure the engine tells at most, in bytes.
const MostTold = 16 << 10

// JudgeModule adds to the record of a module's run what the engine answered. That is the
// word of a process in the box, as everything on this descriptor: it can explain a
// failure, and makes none of a success, nor the other way round.
func JudgeModule(res *jail.Result, written []byte) {
	a, ok := parseAnswer(written, "")
	if !ok && len(written) > 0 && res.ExitCode != nil && *res.ExitCode == statusCrashed { // a trace of Go's
		ok = true
		a.Error = &jail.Thrown{Name: EngineFailure, Message: "Go's runtime ended the engine, as it does where a module makes it ask for more memory than there is: stderr has its words"}
	}
	if !ok || a.Error == nil || res.Reason != jail.ReasonExecutionFailed || res.ExitCode == nil {
		return
	}
	if a.Error.Name == MemoryRefused {
		if res.Hint == "" {
			res.Hint = "its engine refused it memory before it failed: raise --memory if the program needs more"
		}
		return
	}
	res.Error = a.Error
	res.Message += ": " + summary(*a.Error)
	if *res.ExitCode == statusNoModule {
		res.Reason, res.Message = jail.ReasonExecFailed, "the engine can't run this module: "+summary(*a.Error)
	}
	if hint := hintFor(*a.Error); hint != "" {
		res.Hint = hint
	}
	if res.Reason == jail.ReasonExecFailed {
		res.Refusal = &jail.Refusal{Stage: jail.StageExec, Operation: loadModule, Remedy: res.Hint}
	}
}

// loadModule is the step that a module can't be run for.
const loadModule = "load module"

// workerFull says whether a worker of Node.js's came to the end of its heap: what created it
// is told so, and is not aborted as by its own heap's end.
func workerFull(t jail.Thrown) bool {
	return strings.HasSuffix(t.Message, "reaching memory limit: JS heap out of memory")
}

// hadMemory says whether the box had much of the memory it may have: any source can throw
// the error of a full worker.
func hadMemory(res *jail.Result) bool {
	peak, limit := res.Usage.MemoryPeakBytes, res.Limits.MemoryBytes
	return peak != nil && limit != nil && *peak >= *limit/2
}

// hintFor is what can be done about an error of the engine's, or "".
func hintFor(t jail.Thrown) string {
	switch {
	case t.Name == oldPython:
		return "have PATH name a Python of 3.8 or later first"
	case t.Name == NotModule:
		return "give the path of a WebAssembly module; other programs have profiles of their own: jail profiles"
	case t.Name == MissingImport, t.Name == NoStart:
		return "build it as a command for WASI preview 1: GOOS=wasip1 GOARCH=wasm go build, rustc --target wasm32-wasip1, clang --target=wasm32-wasi"
	case (t.Name == Trap || t.Name == InvalidModule) && strings.Contains(t.Message, "raise --memory"), isFull(t), workerFull(t):
		return "raise --memory if the program needs more"
	}
	return ""
}
