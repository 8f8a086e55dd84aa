package engine

import (
	"context"
	_ "embed"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// quickJS is QuickJS-NG, an engine of JavaScript, as a module: quickjs/build.sh makes it of
// its source and of quickjs/wrapper.c, which has the functions that are called here. It
// has the language and none of the engine's own libraries: no files, no modules.
//
//go:embed quickjs/quickjs.wasm
var quickJS []byte

// A value is one of JavaScript, as the module has it: either itself or where in the
// module's memory it is.
type value uint64

// A vm is one QuickJS. Its methods call into the module; the first error, which is a
// trap or the deadline, is kept, and nothing is called after it.
type vm struct {
	ctx       context.Context
	module    api.Module
	undefined value
	exception value // what is returned for one that was thrown
	lent      []func(args []value) value
	reject    func(promise, reason, handled value)
	err       error
}

// newVM starts QuickJS. What it imports besides WASI are calls of ours, named here.
func newVM(e *engine) (*vm, error) {
	v := &vm{ctx: e.ctx}
	env := e.runtime.NewHostModuleBuilder("engine").
		NewFunctionBuilder().WithFunc(v.called).Export("called").
		NewFunctionBuilder().WithFunc(v.rejected).Export("rejected")
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
	if v.call("start", maxStack) == 0 {
		return nil, errors.Join(errors.New("QuickJS does not start"), v.err)
	}
	v.undefined, v.exception = value(v.call("undefined")), value(v.call("exception"))
	return v, v.err
}

// maxStack is how much of its stack JavaScript may take, in bytes, before it gets a
// RangeError: less than the module has, which quickjs/build.sh says.
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

// allocate is room for n bytes in the module's memory.
func (v *vm) allocate(n int) uint32 {
	at := uint32(v.call("allocate", uint64(n)))
	if at == 0 && v.err == nil {
		v.err = errNoRoom
	}
	return at
}

// bytes puts text into the module's memory, with a NUL behind it.
func (v *vm) bytes(text string) uint64 {
	at := v.allocate(len(text) + 1)
	if v.err != nil || !v.module.Memory().WriteString(at, text) || !v.module.Memory().WriteByte(at+uint32(len(text)), 0) {
		return 0
	}
	return uint64(at)
}

var errNoRoom = errors.New("the source and its input do not fit into the memory that it may have")

// text makes a string of JavaScript.
func (v *vm) text(s string) value {
	at := v.bytes(s)
	defer v.call("release", at)
	return value(v.call("string", at, uint64(len(s))))
}

// string is a value as a string. It is not UTF-8 where that has half of a pair.
func (v *vm) string(of value) string {
	both := v.call("text", uint64(of)) // where it is, and behind 32 bits how long
	at, length := uint32(both), uint32(both>>32)
	if at == 0 {
		return ""
	}
	defer v.call("free_text", uint64(at))
	text, _ := v.module.Memory().Read(at, length)
	return string(text)
}

// drop gives a value back.
func (v *vm) drop(it value) { v.call("drop", uint64(it)) }

func (v *vm) number(of value) float64 { return api.DecodeF64(v.call("number", uint64(of))) }

func (v *vm) property(of value, name string) value {
	key := v.bytes(name)
	defer v.call("release", key)
	return value(v.call("get", uint64(of), key))
}

// threw says whether a call came to an exception.
func (v *vm) threw(result value) bool { return v.err != nil || result == v.exception }

// apply calls a function of JavaScript.
func (v *vm) apply(f value, args ...value) value {
	at := v.allocate(8 * max(len(args), 1))
	defer v.call("release", uint64(at))
	for i, arg := range args {
		if v.err != nil || !v.module.Memory().WriteUint64Le(at+uint32(8*i), uint64(arg)) {
			return v.exception
		}
	}
	return value(v.call("apply", uint64(f), uint64(len(args)), uint64(at)))
}

// lend makes a function of JavaScript that is one of ours. Its result is a new value, or
// the exception if one was thrown.
func (v *vm) lend(name string, f func(args []value) value) value {
	v.lent = append(v.lent, f)
	at := v.bytes(name)
	defer v.call("release", at)
	return value(v.call("lend", uint64(len(v.lent)-1), at))
}

// mostArgs is how many arguments a function that was lent sees at most.
const mostArgs = 4

// called is what the module calls for a function that was lent.
func (v *vm) called(_ context.Context, m api.Module, number, count, args uint32) uint64 {
	if int64(number) >= int64(len(v.lent)) {
		return uint64(v.exception)
	}
	list := make([]value, 0, mostArgs)
	for i := range min(count, mostArgs) {
		arg, ok := m.Memory().ReadUint64Le(args + 8*i)
		if !ok {
			return uint64(v.exception)
		}
		list = append(list, value(arg))
	}
	return uint64(v.lent[number](list))
}

func (v *vm) rejected(_ context.Context, promise, reason, handled uint64) {
	if v.reject != nil {
		v.reject(value(promise), value(reason), value(handled))
	}
}

// evaluate runs a script whose first line has the number line, or only compiles it.
func (v *vm) evaluate(source, file string, line int32, onlyCompile bool) value {
	text, name := v.bytes(source), v.bytes(file)
	defer v.call("release", text)
	defer v.call("release", name)
	only := uint64(0)
	if onlyCompile {
		only = 1
	}
	return value(v.call("evaluate", text, uint64(len(source)), name, api.EncodeI32(line), only))
}
