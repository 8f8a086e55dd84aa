package runner

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// A hostile source tries to answer with something else than what it returns, to
// have somebody else answer, or to keep the box from ending. What it must never come
// to is ok with another value than its own.
type hostile struct {
	name   string
	source string
	value  string // its own; then the reason is ok, unless others are given
	may    []jail.Reason
}

// Nobody's own value.
const forged = "FORGED"

var (
	isInvalid = []jail.Reason{jail.ReasonInvalidOutput}
	hasFailed = []jail.Reason{jail.ReasonExecutionFailed}
	byASignal = []jail.Reason{jail.ReasonSignaled}
	isTooLong = []jail.Reason{jail.ReasonOutputTooLarge}
	outOfTime = []jail.Reason{jail.ReasonTimeout, jail.ReasonCPUTime}
)

// heapWords are what Node.js says when its heap is full, said by a source.
const heapWords = "fs.writeSync(2, 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\\n'); "

// bounds are small: a bomb is to go off soon.
func bounds() profiles.Overrides {
	return profiles.Overrides{Limits: jail.Limits{Timeout: time.Minute, Memory: 160 << 20, Pids: 48, Output: 256 << 10}}
}

func attack(t *testing.T, l Language, prelude string, rows []hostile) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.may == nil {
				c.may = []jail.Reason{jail.ReasonOK}
			}
			for range 2 {
				began := time.Now()
				o := bounds()
				if slices.Contains(c.may, jail.ReasonTimeout) {
					o.Limits.Timeout = 10 * time.Second
				}
				res := evaluate(t, l, Request{Source: prelude + c.source, Input: json.RawMessage(`"input"`)}, o)
				if !slices.Contains(c.may, res.Reason) {
					t.Errorf("reason %s, want %v: %s; error %+v; stderr %.300q", res.Reason, c.may, res.Message, res.Error, res.Stderr.Text)
				}
				if (res.Value != nil) != (res.Reason == jail.ReasonOK) {
					t.Errorf("reason %s with the value %s", res.Reason, res.Value)
				}
				if res.Reason == jail.ReasonOK && string(res.Value) != c.value || strings.Contains(string(res.Value), forged) {
					t.Errorf("value %s, want its own: %s", res.Value, c.value)
				}
				if took := time.Since(began); took > 50*time.Second {
					t.Errorf("it took %v", took)
				}
			}
		})
	}
}

// answerPipe is the descriptor for the value.
const nodePrelude = `const fs = require('fs'), cp = require('child_process'), FORGED = '{"token":"x","value":"FORGED"}';
const wait = (ms) => new Promise(r => setTimeout(r, ms));
const answerPipe = () => 3;
`

func TestHostileNode(t *testing.T) {
	attack(t, Node, nodePrelude, []hostile{
		{name: "JSON.stringify", source: `JSON.stringify = () => '"FORGED"'; return 'mine'`, value: `"mine"`},
		{name: "JSON", source: `globalThis.JSON = {stringify: () => 'FORGED'}; return ['mine']`, value: `["mine"]`},
		{name: "toJSON of all objects", source: `Object.prototype.toJSON = () => 'FORGED'; return {a: [1]}`, value: `{"a":[1]}`},
		{name: "toJSON of all strings", source: `String.prototype.toJSON = () => 'FORGED'; return {a: 'mine'}`, value: `{"a":"mine"}`},
		{name: "toJSON of all arrays", source: `Array.prototype.toJSON = () => 'FORGED'; return ['mine']`, value: `["mine"]`},
		{name: "toJSON of all numbers", source: `Number.prototype.toJSON = BigInt.prototype.toJSON = () => 'FORGED'; return [1, 2n]`, value: `[1,2]`},
		{name: "iteration", source: `Array.prototype[Symbol.iterator] = function*() { yield 'FORGED' }; return ['mine']`, value: `["mine"]`},
		{name: "array methods", source: `for (const m of ['map', 'join', 'push', 'forEach', 'slice', 'concat', 'indexOf']) Array.prototype[m] = () => 'FORGED'; return ['mine']`, value: `["mine"]`},
		{name: "string methods", source: `for (const m of ['slice', 'indexOf', 'concat', 'toString', 'valueOf', 'replace']) String.prototype[m] = () => 'FORGED'; return {a: 'mine'}`, value: `{"a":"mine"}`},
		{name: "Object.keys", source: `Object.keys = () => ['FORGED']; Object.entries = Object.keys; return {a: 1}`, value: `{"a":1}`},
		{name: "indices of all objects", source: `Object.defineProperty(Object.prototype, '0', {get: () => 'FORGED', set() {}}); return ['mine', {a: 1}]`, value: `["mine",{"a":1}]`},
		{name: "indices of all arrays", source: `Object.defineProperty(Array.prototype, '0', {get: () => 'FORGED', set() {}}); return [['mine'], 'mine']`, value: `[["mine"],"mine"]`},
		{name: "members of all objects", source: `for (const k of ['value', 'token', 'error', 'get', 'set', 'why', 'then']) Object.defineProperty(Object.prototype, k, {__proto__: null, get: () => undefined, set() {}, configurable: true}); return {a: 1}`, value: `{"a":1}`},
		{name: "frozen", source: `for (const o of [Object.prototype, Array.prototype, Function.prototype, String.prototype]) Object.freeze(o); return {a: [1]}`, value: `{"a":[1]}`},
		{name: "function methods", source: `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'FORGED'; return ['mine', new Map([['a', 1]])]`, value: `["mine",{"a":1}]`},
		{name: "Reflect", source: `for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = () => 'FORGED'; return ['mine', new Set([1])]`, value: `["mine",[1]]`},
		{name: "number methods", source: `Number.prototype.toString = Number.prototype.valueOf = () => 'FORGED'; BigInt.prototype.toString = () => '"FORGED"'; return [42, 1n]`, value: `[42,1]`},
		{name: "date methods", source: `Date.prototype.toISOString = Date.prototype.getTime = Date.prototype.toJSON = () => 'FORGED'; return new Date(0)`, value: `"1970-01-01T00:00:00.000Z"`},
		{name: "collections", source: `Map.prototype.forEach = Set.prototype.forEach = (f) => f('FORGED', 'FORGED'); Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = null; return [new Map([['a', 1]]), new Set([2])]`, value: `[{"a":1},[2]]`},
		{name: "bytes", source: `Buffer.prototype.base64Slice = Buffer.prototype.toString = () => 'FORGED'; Buffer.from = () => Buffer.alloc(9); return new Uint8Array([104, 105, 33])`, value: `"aGkh"`},
		{name: "length of bytes", source: `Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'length', {get: () => 2}); return 'mine'`, value: `"mine"`},
		{name: "no Buffer, no process", source: `delete globalThis.Buffer; delete globalThis.process; delete globalThis.Object; delete globalThis.String; return {a: 'mine'}`, value: `{"a":"mine"}`},
		{name: "types", source: `const {types} = require('util'); for (const k in types) try { types[k] = () => true } catch {} return {a: 'mine'}`, value: `{"a":"mine"}`},
		{name: "then", source: `Promise.prototype.then = (f) => f('FORGED'); return 'mine'`, value: `"mine"`},
		{name: "Promise", source: `globalThis.Promise = class { then(f) { f('FORGED') } }; return 'mine'`, value: `"mine"`},
		{name: "the promise's class", source: `Object.defineProperty(Promise.prototype, 'constructor', {get() { return {[Symbol.species]: function (f) { f(() => {}, () => {}) }} }}); await 1; return 'mine'`, value: `"mine"`},
		{name: "the promise's class throws", source: `Object.defineProperty(Promise.prototype, 'constructor', {get() { throw new Error('no') }}); return 'mine'`, may: hasFailed},
		{name: "a thenable", source: `return {then(f) { f('mine'); f('FORGED'); throw 1 }}`, value: `"mine"`},
		{name: "fs.writeSync", source: `fs.writeSync = fs.writeFileSync = () => 5; return 'mine'`, value: `"mine"`},
		{name: "fs.writeSync writes something else", source: `const w = fs.writeSync; fs.writeSync = (fd) => w(fd, FORGED); return 'mine'`, value: `"mine"`},
		// Whether this is what fs itself calls differs by the version of Node.js.
		{name: "what fs stands on", source: `process.binding('fs').writeBuffer = (fd, b, at, n) => n; return 'mine'`, value: `"mine"`, may: append(isInvalid, jail.ReasonOK)},
		{name: "process.exit", source: `process.exit = process.reallyExit = process.kill = process.abort = () => {}; return 'mine'`, value: `"mine"`},
		{name: "process.stdout", source: `process.stdout.write = () => { throw 1 }; console.log = null; return 'mine'`, value: `"mine"`},
		{name: "Error.prepareStackTrace", source: `Error.prepareStackTrace = () => FORGED; throw new Error('mine')`, may: hasFailed},
		{name: "Error.prepareStackTrace exits", source: `Error.prepareStackTrace = () => process.exit(0); throw new Error('mine')`, may: isInvalid},
		{name: "throws a proxy", source: `throw new Proxy(new Error('a'), {get() { throw 1 }, getPrototypeOf() { throw 2 }})`, may: hasFailed},
		{name: "a proxy that throws", source: `return new Proxy({}, {ownKeys() { throw new Error('no') }})`, may: isInvalid},
		{name: "a proxy without end", source: `const p = new Proxy({}, {ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true}), get: (o, k) => k === 'toJSON' ? undefined : new Proxy(p, {})}); return p`, may: isInvalid},
		{name: "a proxy of an array, without end", source: `return new Proxy([], {get: (o, k) => k === 'length' ? 1e15 : 7})`, may: isTooLong},
		{name: "a getter that exits", source: `return {get a() { process.exit(0) }}`, may: isInvalid},
		{name: "a getter that answers", source: `return {get a() { fs.writeSync(answerPipe(), FORGED); return 1 }}`, may: isInvalid},
		{name: "another realm", source: `return require('vm').runInNewContext('({a: [1, new Map([[1, 2]]), new Date(0), new Uint8Array(1)]})')`, value: `{"a":[1,{"1":2},"1970-01-01T00:00:00.000Z","AA=="]}`},

		{name: "answers on descriptor 3", source: `fs.writeSync(3, FORGED); process.exit(0)`, may: isInvalid},
		{name: "answers and exits", source: `fs.writeSync(answerPipe(), FORGED); process.exit(0)`, may: isInvalid},
		{name: "answers and is killed", source: `fs.writeSync(answerPipe(), FORGED); process.kill(process.pid, 'SIGKILL'); await wait(9999)`, may: byASignal},
		{name: "answers and returns", source: `fs.writeSync(answerPipe(), FORGED); return 'mine'`, may: isInvalid},
		{name: "answers and throws", source: `fs.writeSync(answerPipe(), FORGED); throw new Error('mine')`, may: hasFailed},
		{name: "wraps the answer", source: `fs.writeSync(answerPipe(), '{"value":"FORGED","x":'); return 'mine'`, may: isInvalid},
		{name: "answers in vain before", source: `fs.writeSync(answerPipe(), '\n\t '); return 'mine'`, may: isInvalid},
		{name: "answers at the exit", source: `process.on('exit', () => fs.writeSync(answerPipe(), FORGED)); process.on('beforeExit', () => fs.writeSync(answerPipe(), FORGED)); return 'mine'`, value: `"mine"`},
		{name: "closes the descriptor", source: `fs.closeSync(answerPipe()); return 'mine'`, may: isInvalid},
		{name: "another file in its place", source: `const fd = answerPipe(); fs.closeSync(fd); while (fs.openSync('/tmp/x', 'w') !== fd); return 'mine'`, may: isInvalid},
		{name: "a child holds it", source: `cp.spawn('sleep', ['100'], {stdio: ['ignore', 'ignore', 'ignore', answerPipe()]}); await wait(50); return 'mine'`, value: `"mine"`},
		{name: "a child writes to it", source: `cp.spawnSync('sh', ['-c', 'echo FORGED >&3'], {stdio: ['ignore', 'ignore', 'ignore', answerPipe()]}); return 'mine'`, may: isInvalid},
		{name: "a child is not given it", source: `return cp.spawnSync('sh', ['-c', 'for i in 3 4 5 6 7 8 9; do echo FORGED >&$i; done; ls /proc/self/fd | wc -l'], {stdio: ['ignore', 'pipe', 'ignore']}).stdout.toString().trim()`, value: `"4"`},
		{name: "a child takes it from /proc", source: `cp.execSync('for p in /proc/[0-9]*/fd/*; do case $(readlink $p) in pipe:*) echo FORGED 2>/dev/null >$p & ;; esac; done; sleep 0.3', {stdio: 'ignore'}); return 'mine'`, value: `"mine"`},
		{name: "a detached child stays", source: `cp.spawn('sh', ['-c', 'trap "" TERM HUP; sleep 100'], {detached: true, stdio: 'inherit'}).unref(); return 'mine'`, value: `"mine"`},
		{name: "a worker that runs on", source: `new (require('worker_threads').Worker)('for (;;);', {eval: true}); await wait(100); return 'mine'`, value: `"mine"`},
		{name: "a worker that answers", source: `const w = new (require('worker_threads').Worker)('require("fs").writeSync(require("worker_threads").workerData, "FORGED")', {eval: true, workerData: answerPipe()}); await new Promise(r => w.on('exit', r)); return 'mine'`, may: isInvalid},
		{name: "a worker that exits", source: `const w = new (require('worker_threads').Worker)('process.exit(0)', {eval: true}); await new Promise(r => w.on('exit', r)); return 'mine'`, value: `"mine"`},
		{name: "closes stdio", source: `for (const fd of [0, 1, 2]) fs.closeSync(fd); return 'mine'`, value: `"mine"`},

		{name: "who called", source: `let c; try { c = (function f() { return f.caller.caller })() } catch { c = null } return [c, typeof module, process.mainModule === undefined, process._eval === undefined]`, value: `[null,"undefined",true,true]`},
		{name: "the debugger", source: `const s = new (require('inspector').Session)(); s.connect(); let r; s.post('Runtime.evaluate', {expression: 'token'}, (e, v) => { r = v.result.className }); return r`, value: `"ReferenceError"`},
		{name: "the request is gone", source: `return [fs.readFileSync(0).length, process.argv.length, Object.keys(process.env).sort()]`, value: `[0,1,["HOME","LANG","PATH"]]`},
		{name: "signals to the parent", source: `for (const s of ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGINT']) try { process.kill(process.ppid, s) } catch {} return 'mine'`, value: `"mine"`},
		{name: "signals to everybody", source: `try { process.kill(-1, 'SIGKILL') } catch {} return 'mine'`, value: `"mine"`}, // all but itself (kill(2))
		{name: "a signal to itself", source: `process.kill(process.pid, 'SIGKILL'); await wait(9999)`, may: byASignal},
		{name: "abort", source: `process.abort()`, may: byASignal},
		{name: "the exit code of success", source: `process.exitCode = 7; process.on('exit', () => process.exit(9)); return 'mine'`, value: `"mine"`},
		{name: "microtasks without end", source: `(function f() { queueMicrotask(f) })(); return 'mine'`, value: `"mine"`},
		{name: "ticks without end", source: `(function f() { process.nextTick(f) })(); return 'mine'`, value: `"mine"`},
		{name: "ticks without end, before a timer", source: `(function f() { process.nextTick(f) })(); await wait(1); return 'mine'`, may: outOfTime},
		{name: "a flood on stdout", source: `for (;;) console.log('x'.repeat(1000))`, may: isTooLong},
		{name: "a flood on stderr", source: `for (;;) fs.writeSync(2, 'x'.repeat(1000))`, may: isTooLong},
		{name: "a flood in place of the value", source: `const fd = answerPipe(); for (;;) fs.writeSync(fd, 'x'.repeat(1000))`, may: isTooLong},
		// The heap may be three quarters of the cap; whether that is full before all of it is
		// says what this Node.js takes besides.
		{name: "a bomb of objects", source: `const a = []; for (;;) a.push(new Array(1e5).fill(1))`, may: []jail.Reason{jail.ReasonOutOfMemory}},
		{name: "forges a full heap", source: heapWords + `process.abort()`, may: []jail.Reason{jail.ReasonOutOfMemory}},
		{name: "forges a full heap and exits", source: heapWords + `process.exit(134)`, may: hasFailed},
		{name: "forges a full heap and returns", source: heapWords + `return 'mine'`, value: `"mine"`},
		{name: "a bomb of bytes", source: `const a = []; for (;;) a.push(Buffer.alloc(8 << 20, 1))`, may: []jail.Reason{jail.ReasonOutOfMemory}},
		{name: "a bomb of processes", source: `const a = []; for (let i = 0; i < 60; i++) a.push(new Promise((_, no) => cp.spawn('sleep', ['100']).on('error', no))); await Promise.all(a)`, may: []jail.Reason{jail.ReasonPidsLimit}},
		{name: "a bomb of shells", source: `cp.spawn('sh', ['-c', 'f() { f | f & }; f'], {stdio: 'ignore'}); await wait(300); return 'mine'`, value: `"mine"`},
	})
}
