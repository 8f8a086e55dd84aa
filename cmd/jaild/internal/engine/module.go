package engine

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/runner"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// mostModule bounds a module, in bytes: compiling takes some twenty times as much.
const mostModule = 256 << 20

// magic and version begin every module in the binary format of the core specification.
var (
	magic   = []byte("\x00asm")
	version = []byte{1, 0, 0, 0}
)

// read reads a module and looks whether it is one.
func read(name string) ([]byte, *Failure) {
	from := os.Stdin
	if name != "-" {
		var err error
		if from, err = os.Open(name); err != nil {
			return nil, noModule(runner.NotModule, "%v", err)
		}
		defer from.Close()
	}
	text, err := io.ReadAll(io.LimitReader(from, mostModule+1))
	switch {
	case err != nil:
		return nil, noModule(runner.NotModule, "%v", err)
	case len(text) > mostModule:
		return nil, noModule(runner.NotModule, "%s: has more than %d MiB", name, mostModule>>20)
	case !bytes.HasPrefix(text, magic):
		return nil, noModule(runner.NotModule, "%s: begins with %q, and a WebAssembly module with %q", name, text[:min(4, len(text))], magic)
	case len(text) < 8 || !bytes.Equal(text[4:8], version):
		what := "has version %q of the binary format, and the engine knows %q"
		if len(text) >= 8 && text[6] == 1 { // the layer of components
			what = "is a WebAssembly component (%q), and the engine runs core modules (%q), built for WASI preview 1"
		}
		return nil, noModule(runner.NotModule, "%s: "+what, name, text[4:min(8, len(text))], version)
	}
	return text, nil
}

// compile compiles a module that imports nothing but WASI, and has a start.
func (e *engine) compile(binary []byte, name string) (wazero.CompiledModule, *Failure) {
	compiled, err := e.runtime.CompileModule(e.ctx, binary)
	if err != nil {
		if e.ctx.Err() != nil {
			_, failure := e.ended(err)
			return nil, failure
		}
		return nil, noModule(runner.InvalidModule, "%s: %v", name, err)
	}
	if missing := e.missing(compiled); len(missing) > 0 {
		return nil, noModule(runner.MissingImport, "%s: imports what is not in WASI preview 1, which is all there is: %s", name, strings.Join(missing, ", "))
	}
	if _, ok := compiled.ExportedFunctions()["_start"]; !ok {
		return nil, noModule(runner.NoStart, "%s: exports no function _start: build it as a command, and not as a library or reactor", name)
	}
	return compiled, nil
}

// missing are the functions and memories that a module imports and that are not there.
func (e *engine) missing(compiled wazero.CompiledModule) []string {
	const shown = 5
	there := e.runtime.Module(wasi_snapshot_preview1.ModuleName).ExportedFunctionDefinitions()
	var missing []string
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if _, ok := there[name]; module != wasi_snapshot_preview1.ModuleName || !ok {
			missing = append(missing, module+"."+name)
		}
	}
	for _, m := range compiled.ImportedMemories() {
		module, name, _ := m.Import()
		missing = append(missing, "memory "+module+"."+name)
	}
	slices.Sort(missing)
	if n := len(missing) - shown; n > 0 {
		missing = append(missing[:shown], fmt.Sprintf("and %d more", n))
	}
	return missing
}
