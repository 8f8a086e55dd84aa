package wasm

import "slices"

// A module is a WebAssembly module of one function, _start, in the binary format of the
// core specification.
type module struct {
	imports []imported
	pages   int    // of memory; 0 is one
	start   string // the name that the function is exported by, if not _start
	data    string // at address 0
	code    []byte // of the function, which has one local, an i32
}

// An imported is a function of i32 parameters, but those that are noted as i64, with at
// most one i32 result.
type imported struct {
	module, name string
	params       []byte
	result       bool
}

const (
	i32 = 0x7f
	i64 = 0x7e
)

const preview1 = "wasi_snapshot_preview1"

var (
	procExit = imported{preview1, "proc_exit", []byte{i32}, false}
	fdWrite  = imported{preview1, "fd_write", []byte{i32, i32, i32, i32}, true}
	pathOpen = imported{preview1, "path_open", []byte{i32, i32, i32, i32, i32, i64, i64, i32, i32}, true}
	poll     = imported{preview1, "poll_oneoff", []byte{i32, i32, i32, i32}, true}
	accept   = imported{preview1, "sock_accept", []byte{i32, i32, i32}, true}
)

// header begins every module.
const header = "\x00asm\x01\x00\x00\x00"

func (m module) bytes() []byte {
	types := list(len(m.imports) + 1)
	imports := list(len(m.imports))
	for i, f := range m.imports {
		types = append(types, 0x60)
		types = append(append(types, list(len(f.params))...), f.params...)
		if f.result {
			types = append(types, 1, i32)
		} else {
			types = append(types, 0)
		}
		imports = slices.Concat(imports, name(f.module), name(f.name), []byte{0}, list(i))
	}
	types = append(types, 0x60, 0, 0)
	if m.start == "" {
		m.start = "_start"
	}
	body := slices.Concat([]byte{1, 1, i32}, m.code, []byte{0x0b})
	out := slices.Concat([]byte(header), section(1, types), section(2, imports),
		section(3, append(list(1), list(len(m.imports))...)),
		section(5, slices.Concat(list(1), []byte{0}, list(max(m.pages, 1)))),
		section(7, slices.Concat(list(2), name(m.start), []byte{0}, list(len(m.imports)), name("memory"), []byte{2, 0})),
		section(10, slices.Concat(list(1), list(len(body)), body)))
	if m.data != "" {
		out = append(out, section(11, slices.Concat(list(1), []byte{0}, constant(0), []byte{0x0b}, name(m.data)))...)
	}
	return out
}

func section(id byte, content []byte) []byte {
	return slices.Concat([]byte{id}, list(len(content)), content)
}
func name(s string) []byte { return append(list(len(s)), s...) }

// list is a length, or another number that is not negative: unsigned LEB128.
func list(n int) []byte {
	var out []byte
	for n >= 0x80 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

// constant is i32.const: signed LEB128.
func constant(n int32) []byte { return append([]byte{0x41}, signed(int64(n))...) }

// long is i64.const.
func long(n int64) []byte { return append([]byte{0x42}, signed(n)...) }

func signed(n int64) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// call calls a function with constants.
func call(f int, args ...int32) []byte {
	var out []byte
	for _, a := range args {
		out = append(out, constant(a)...)
	}
	return slices.Concat(out, []byte{0x10}, list(f))
}

// Instructions by their names.
const (
	unreachable = 0x00
	loop        = 0x03
	end         = 0x0b
	br          = 0x0c
	brIf        = 0x0d
	drop        = 0x1a
	localSet    = 0x21
	localGet    = 0x20
	load        = 0x28
	memoryGrow  = 0x40
	eq          = 0x46
	ne          = 0x47
	divide      = 0x6d
	indirect    = 0x11
	nothing     = 0x40 // the type of a block
)

// exit is a module that ends with a status.
func exit(status int32) module {
	return module{imports: []imported{procExit}, code: call(0, status)}
}

// opens is a module that opens a path below a folder that is open, for reading, as whoever
// follows links, and exits with the error number of WASI.
func opens(path string, fd int32) module {
	return module{imports: []imported{procExit, pathOpen}, data: path, code: slices.Concat(
		constant(fd), constant(1), constant(0), constant(int32(len(path))), constant(0), long(2), long(2), constant(0), constant(1024),
		[]byte{0x10, 1, 0x10, 0})}
}
