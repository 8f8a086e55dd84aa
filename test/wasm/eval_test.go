package wasm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
)

func evaluate(t *testing.T, source, input string, flags ...string) jail.Result {
	t.Helper()
	request, err := json.Marshal(map[string]any{"source": source, "input": json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, string(request), append([]string{"eval", "--profile", "wasm"}, flags...)...)
}

// TestValues is what a source can return.
func TestValues(t *testing.T) {
	// One box for all of what makes a value: each is a member of an object.
	t.Run("all that are some", func(t *testing.T) {
		want := map[string]string{}
		source := "return {\n"
		for i, c := range [][2]string{
			{`input.a + 1`, `42`}, {`undefined`, ``}, {`null`, `null`}, {`"\u00e9\ud83d\ude00"`, `"é😀"`}, {`[undefined, 1, , 2]`, `[null,1,null,2]`},
			{`new Date(0)`, `"1970-01-01T00:00:00.000Z"`}, {`12345678901234567890n`, `12345678901234567890`}, {`-0`, `0`}, {`1e300`, `1e+300`}, {`0.1`, `0.1`},
			{`new Uint8Array([0, 1, 254, 255])`, `"AAH+/w=="`}, {`new Uint8Array([1,2,3]).buffer`, `"AQID"`}, {`new DataView(new Uint8Array([9, 1, 2]).buffer, 1)`, `"AQI="`},
			{`new Uint8ClampedArray([7])`, `"Bw=="`}, {`new Uint8Array(0)`, `""`}, {`new Float64Array([1.5, 2])`, `[1.5,2]`}, {`new BigInt64Array([5n])`, `[5]`}, {`new Int16Array([-3])`, `[-3]`},
			{`new Map([["k", new Set([1, [2]])], [3, "x"]])`, `{"k":[1,[2]],"3":"x"}`}, {`new (class P { constructor() { this.x = 1; this.#y = 2 } #y; get z() { return 3 } })`, `{"x":1}`},
			{`({ toJSON() { return [1] } })`, `[1]`}, {`(() => { const o = {}; return [o, o] })()`, `[{},{}]`}, {`new Proxy([1, { b: 2 }], {})`, `[1,{"b":2}]`}, {`Object.create(null)`, `{}`}, {`(function () { return arguments })(1, 2)`, `{"0":1,"1":2}`},
			{`await (async () => "awaited")()`, `"awaited"`}, {`await new Promise((r) => setTimeout(r, 20, 0)).then(() => "timer")`, `"timer"`}, {`typeof require + typeof process + typeof std + typeof os`, `"undefinedundefinedundefinedundefined"`},
			{`"x".repeat(5)`, `"xxxxx"`}, {`JSON.parse('{"__proto__": 1}')`, `{"__proto__":1}`}, {`new Date(2020, 0, 1).getTimezoneOffset()`, `0`}, {`Number.MAX_SAFE_INTEGER`, `9007199254740991`}, {`[..."ab"].map((c) => c + c)`, `["aa","bb"]`},
		} {
			source += key2(i) + ": " + c[0] + ",\n"
			if c[1] != "" {
				want[key2(i)] = c[1]
			}
		}
		res := evaluate(t, source+"}", `{"a":41}`)
		var got map[string]json.RawMessage
		if err := json.Unmarshal(res.Value, &got); err != nil || res.Reason != jail.ReasonOK {
			t.Fatalf("%s: %s; %v", res.Reason, res.Message, err)
		}
		for key, value := range want {
			if string(got[key]) != value {
				t.Errorf("%s: %s, want %s", key, got[key], value)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d members, want %d", len(got), len(want))
		}
	})
	for _, c := range []struct{ name, source, message string }{
		{"NaN", `return { a: [NaN] }`, `value["a"][0] is NaN`},
		{"an invalid date", `return new Date(NaN)`, `value is an invalid date`},
		{"a function", `return [() => 1]`, `value[0] is a function`},
		{"a symbol", `return Symbol("x")`, `value is a symbol`},
		{"an error", `return new RangeError("x")`, `value is an error`},
		{"a promise", `return { p: Promise.resolve(1) }`, `value["p"] is a promise`},
		{"an iterator", `return [1][Symbol.iterator]()`, `value is an iterator`},
		{"a generator", `return (function* () {})()`, `value is an iterator`},
		{"a regular expression", `return /x/`, `value is a regular expression`},
		{"a boxed number", `return new Number(1)`, `value is a boxed primitive`},
		{"a weak map", `return new WeakMap()`, `value is a weak collection`},
		{"itself", `const a = [1]; a.push({ a }); return a`, `value[1]["a"] contains itself`},
		{"nested deep", `let x = 1; for (let i = 0; i < 501; i++) x = [x]; return x`, `nested deeper than 500 levels`},
		{"what throws", `return { get a() { throw new Error("getter") } }`, `value can not be read: Error: getter`},
		{"a map of objects", `return new Map([[{}, 1]])`, `is a Map with a key`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := evaluate(t, c.source, `null`)
			if res.Reason != jail.ReasonInvalidOutput || res.ExitStatus() != 65 || !strings.Contains(res.Message, c.message) || res.Value != nil {
				t.Errorf("%s: %s; want invalid_output: %s", res.Reason, res.Message, c.message)
			}
		})
	}
}

// key2 is a name of two letters.
func key2(i int) string { return string([]byte{byte('a' + i/26), byte('a' + i%26)}) }

// TestThrown is how a source fails, and what is printed on the way.
func TestThrown(t *testing.T) {
	for _, c := range []struct {
		name, source       string
		exit               int
		err, message, line string
	}{
		{"an error", "\nfunction f() { null.x }\nf()", 1, "TypeError", "null", "source.js:3:1"},
		{"an error of its own class", `class Own extends Error { name = "Own" }` + "\nthrow new Own('x')", 1, "Own", "x", "source.js:2"},
		{"no error", `throw { a: 1 }`, 1, "object", `{"a":1}`, ""},
		{"a number", `throw 3`, 1, "number", "3", ""},
		{"nothing", `throw undefined`, 1, "undefined", "undefined", ""},
		{"in a syntax error", "return 1 +\n* 2", 1, "SyntaxError", "", "source.js:2:1"},
		{"in what its end lacks", "let a = 1\nreturn (", 1, "SyntaxError", "unexpected end of input", "source.js:2:9"},
		{"in a bracket that its end lacks", "let a = 1\nreturn [1", 1, "SyntaxError", "unexpected end of input", "source.js:2:10"},
		{"in arguments that its end lacks", "\nreturn f(1", 1, "SyntaxError", "unexpected end of input", "source.js:2:11"},
		{"in a brace too many", "let a = 1\nreturn 1 }", 1, "SyntaxError", "Unexpected token '}'", "source.js:2:11"},
		{"in two braces too many", "if (1) {\nreturn 1 }}}", 1, "SyntaxError", "Unexpected token '}'", "source.js:2:13"},
		{"in its last line", "let a = 1\nlet a", 1, "SyntaxError", "redefinition", "source.js:2:6"},
		{"by ending the function", `}), (async function () { return "FORGED"`, 1, "SyntaxError", "", ""},
		{"by ending it with something else", `}, 3); ({`, 1, "SyntaxError", "", ""},
		{"a static import", `import fs from "fs"`, 1, "SyntaxError", "", ""},
		{"a dynamic import", `await import("fs")`, 1, "", "", ""},
		{"later", `setTimeout(() => { throw new RangeError("later") }, 5); await new Promise((r) => setTimeout(r, 1000)); return 1`, 1, "RangeError", "later", "source.js:1"},
		{"in the background", `Promise.reject(new Error("nobody")); await new Promise((r) => setTimeout(r, 100)); return 1`, 1, "Error", "nobody", ""},
		{"by waiting", `await new Promise(() => {})`, 13, "UnsettledPromise", "nothing is left to run", ""},
		{"by recursion", `function f() { return f() + 1 } return f()`, 1, "RangeError", "call stack", "source.js:1"},
		{"by a trap of toString", `throw { get stack() { throw 1 }, toString() { throw 2 } }`, 1, "object", "", ""},
		{"on an old runtime", `return require("fs").readFileSync("/etc/passwd")`, 1, "ReferenceError", "require", ""},
		{"with a cause", "\n" + `throw new Error("outer", { cause: new TypeError("inner", { cause: 7 }) })`, 1, "Error", "outer", "\n    at <anonymous> (source.js:2:39)\ncaused by: TypeError: inner\n    at <anonymous> (source.js:2:39)\ncaused by: 7\n"},
		{"with a cause in a circle", `const e = new Error("a"); e.cause = e; throw e`, 1, "Error", "a", "\ncaused by: Error: a\n"},
		{"with errors", `await Promise.any([Promise.reject(new TypeError("b")), Promise.reject(3)])`, 1, "AggregateError", "", "\nof these: TypeError: b\n    at <anonymous> (source.js:1:"},
		{"with a cause that is none", `throw new Error("a", { cause: { b: new Error("c") } })`, 1, "Error", "a", "\ncaused by: {\"b\":{}}\n"},
		{"with a cause that throws", `throw new Error("a", { cause: { get stack() { throw 1 } } })`, 1, "Error", "a", "\ncaused by: what can not be read\n"},
		{"of memory", `const a = []; for (;;) a.push(new ArrayBuffer(1 << 22))`, 1, "", "out of memory", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := evaluate(t, "print('out', {a: 1});console.error('log');"+c.source, `null`, "--memory", "128M")
			reason := jail.ReasonExecutionFailed
			if c.message == runner.OutOfMemory {
				reason = jail.ReasonOutOfMemory
			}
			if res.Reason != reason || res.Error == nil || *res.ExitCode != c.exit || c.err != "" && res.Error.Name != c.err || !strings.Contains(res.Error.Message, c.message) || !strings.Contains(res.Error.Trace, c.line) {
				t.Errorf("%s: %s, %+v; want exit code %d, %s: %s at %s", res.Reason, res.Message, res.Error, c.exit, c.err, c.message, c.line)
			}
			if res.Error != nil && strings.Contains(res.Error.Trace, "runner.js") {
				t.Errorf("the runner is in the trace: %s", res.Error.Trace)
			}
			if printed := c.err != "SyntaxError"; printed && (res.Stdout.Text != "out {\"a\":1}\n" || !strings.HasPrefix(res.Stderr.Text, "log\n")) {
				t.Errorf("printed %q, %q", res.Stdout.Text, res.Stderr.Text)
			}
			if c.message == "out of memory" && !strings.Contains(res.Hint, "--memory") {
				t.Errorf("hint %q", res.Hint)
			}
		})
	}
}

// TestHostileSources: what changes the language around it, the runner or the engine comes
// to its own value, or none.
func TestHostileSources(t *testing.T) {
	const prelude = `const FORGED = "FORGED"; `
	ok := []jail.Reason{jail.ReasonOK}
	failed := []jail.Reason{jail.ReasonExecutionFailed}
	invalid := []jail.Reason{jail.ReasonInvalidOutput}
	late := []jail.Reason{jail.ReasonTimeout, jail.ReasonCPUTime}
	for _, c := range []struct {
		name, source string
		may          []jail.Reason
		value        string
	}{
		{"JSON replaced", `JSON.stringify = () => '"FORGED"'; JSON.parse = JSON.stringify; return "own"`, ok, `"own"`},
		{"toJSON on prototypes", `Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => FORGED; return "own"`, ok, `"own"`},
		{"prototypes replaced", `for (const p of [Array, Map, Set, String, Promise, Uint8Array, Object, Function]) for (const k of Object.getOwnPropertyNames(p.prototype)) try { p.prototype[k] = () => FORGED } catch {}; return "own"`, ok, `"own"`},
		{"then replaced", `Promise.prototype.then = function () { return Promise.resolve(FORGED) }; return "own"`, ok, `"own"`},
		{"then of every object", `Object.prototype.then = function (f) { f("thenable") }; return {}`, ok, `"thenable"`},
		{"getters on Object.prototype", `for (const k of ["token", "value", "error", "kind", "json", "why", "reason", "due"]) Object.defineProperty(Object.prototype, k, { __proto__: null, get: () => FORGED, set() {}, configurable: true }); return "own"`, ok, `"own"`},
		{"setters for numbers", `for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, { set() { throw 1 }, get: () => FORGED, configurable: true }); return "own"`, ok, `"own"`},
		{"species", `class P extends Promise { static get [Symbol.species]() { return function (f) { f(() => {}, () => {}) } } }; Promise.prototype.constructor = P; return "own"`, ok, `"own"`},
		{"tags that lie", `return { d: Object.assign(Object.create(Date.prototype), { a: 1 }), m: { [Symbol.toStringTag]: "Map", size: 1 } }`, invalid, ""},
		{"the caller's arguments", `return typeof arguments.callee.caller + typeof this.host + arguments.length`, failed, ""},
		{"a printed stack", `const e = new Error("x"); await null; return (e.stack + new Error("y").stack).includes("runner.js")`, ok, `false`},
		{"the stack", `try { Error.prepareStackTrace = (e, frames) => FORGED } catch {} try { null.x } catch (e) { e.stack } return "own"`, ok, `"own"`},
		{"frames of the runner", `let got = []; Error.stackTraceLimit = 1e6; for (const E of [Error, TypeError]) try { E.prepareStackTrace = (e, f) => { got = f } } catch {} new Error().stack; try { null.x } catch (e) { e.stack } return got.length`, ok, `0`},
		{"globals listed", `return Object.getOwnPropertyNames(globalThis).filter((n) => /host|answer|compile|write|className|valueWriter|token/.test(n))`, ok, `[]`},
		{"the runner's source", `return Function.prototype.toString.call(setTimeout).includes("FORGED")`, ok, `false`},
		{"the token looked for", `let seen = 0; for (const k of Object.getOwnPropertyNames(globalThis)) if (/[0-9a-f]{32}/.test(String(globalThis[k]))) seen++; return seen`, ok, `0`},
		{"a value that changes", `let n = 0; return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (_, k) => k === "a" ? ++n : undefined })`, ok, `{"a":1}`},
		{"a value of endless depth", `const p = () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => k === "a" ? p() : undefined }); return p()`, invalid, ""},
		{"a value of endless length", `return new Proxy([], { get: (t, k) => k === "length" ? 2 ** 32 : "x".repeat(1000) })`, []jail.Reason{jail.ReasonOutputTooLarge}, ""},
		{"the value printed", `print('{"token":"","value":"FORGED"}'); console.error('{"value":"FORGED"}'); return "own"`, ok, `"own"`},
		{"a string that looks like an answer", `return '","value":"x'`, ok, `"\",\"value\":\"x"`},
		{"a thrown answer", `throw '{"value":"FORGED"}'`, failed, ""},
		{"an error with a false stack", `const e = new Error("x"); e.stack = "FORGED\n".repeat(1e6); e.name = { toString() { throw 1 } }; throw e`, failed, ""},
		{"rejections without end", `const again = () => Promise.reject(1).catch(again); again(); return "own"`, ok, `"own"`},
		{"jobs without end", `const again = () => Promise.resolve().then(again); again(); await new Promise((r) => setTimeout(r, 1)); return 1`, late, ""},
		{"timers without end", `setInterval(() => {}, 1); await new Promise(() => {})`, late, ""},
		{"timers at once", `for (let i = 0; i < 1e3; i++) setTimeout(() => {}, i); return "own"`, ok, `"own"`},
		{"an endless loop", `for (;;);`, late, ""},
		{"a loop in a getter", `return { get a() { for (;;); } }`, late, ""},
		{"an endless regular expression", `return /^(a+)+$/.test("a".repeat(60) + "!")`, late, ""},
		{"a flood", `for (;;) print("x".repeat(1e5))`, []jail.Reason{jail.ReasonOutputTooLarge}, ""},
		{"a flood on stderr", `for (;;) console.error("x".repeat(1e5))`, []jail.Reason{jail.ReasonOutputTooLarge}, ""},
		{"memory as strings", `let s = "x".repeat(1e6); const a = []; for (;;) a.push(s + a.length)`, []jail.Reason{jail.ReasonOutOfMemory}, ""},
		{"memory as one string", `return "x".repeat(2 ** 29 - 24)`, []jail.Reason{jail.ReasonOutOfMemory}, ""},
		{"memory that is caught", `const a = []; try { for (;;) a.push(new ArrayBuffer(1 << 22)) } catch { a.length = 0 } return "own"`, ok, `"own"`},
		{"one large buffer", `return new ArrayBuffer(2 ** 31).byteLength`, failed, ""},
		{"recursion in a sort", `const a = [2, 1]; const f = () => a.sort(f); return f()`, failed, ""},
		{"recursion in JSON", `let s = "["; s = s.repeat(1e6); return JSON.parse(s)`, failed, ""},
		{"recursion in the parser", `return eval("(".repeat(1e5) + ")".repeat(1e5))`, failed, ""},
		{"recursion in a regular expression", `return new RegExp("(".repeat(1e5) + ")".repeat(1e5))`, failed, ""},
		{"atomics that wait", `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1`, failed, ""},
		{"eval and Function", `return [eval("1 + 1"), new Function("return typeof host")()]`, ok, `[2,"undefined"]`},
		{"half a pair", `return ["\ud800"]`, []jail.Reason{jail.ReasonInvalidOutput}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			timeout := "60s"
			if slices.Contains(c.may, jail.ReasonTimeout) {
				timeout = "6s"
			}
			res := evaluate(t, prelude+c.source, `"input"`, "--timeout", timeout, "--memory", "160M", "--output", "256K")
			if !slices.Contains(c.may, res.Reason) {
				t.Errorf("%s: %s; want %v; error %+v, stderr %.300q", res.Reason, res.Message, c.may, res.Error, res.Stderr.Text)
			}
			if (res.Value != nil) != (res.Reason == jail.ReasonOK) || !res.TreeEmpty {
				t.Errorf("%s with the value %s, tree empty %v", res.Reason, res.Value, res.TreeEmpty)
			}
			if res.Reason == jail.ReasonOK && string(res.Value) != c.value || strings.Contains(string(res.Value), "FORGED") {
				t.Errorf("value %s, want its own: %s", res.Value, c.value)
			}
		})
	}
}

// TestRequests: what is wrong with a request, and what is large.
func TestRequests(t *testing.T) {
	if res := evaluate(t, "\ufeff#!/usr/bin/env node\r\nreturn input.length", `"`+strings.Repeat("x", 8<<20)+`"`); string(res.Value) != "8388608" {
		t.Errorf("a large input: %s: %s", res.Reason, res.Message)
	}
	if res := evaluate(t, "return 1 // "+strings.Repeat("x", 10<<20), `null`, "--timeout", "90s"); res.Reason != jail.ReasonOK {
		t.Errorf("a large source: %s: %s", res.Reason, res.Message)
	}
	if res := evaluate(t, "return 1 // "+strings.Repeat("x", 60<<20), `null`, "--memory", "100M", "--timeout", "90s"); res.OK {
		t.Errorf("a source larger than its memory: %s: %s", res.Reason, res.Message)
	}
	if res := evaluate(t, "return 1", `null`, "--memory", "96M"); res.Reason != jail.ReasonOK {
		t.Errorf("with little memory: %s: %s", res.Reason, res.Message)
	}
	if res := evaluate(t, "return 1", `null`, "--memory", "16M"); res.Reason != jail.ReasonOutOfMemory || res.ExitStatus() != 137 {
		t.Errorf("with too little memory for the engine: %s: %s", res.Reason, res.Message)
	}
	if res := start(t, `{"source": "a\u0000b"}`, "eval", "--profile", "wasm"); res.Reason != jail.ReasonSetupRefused {
		t.Errorf("NUL: %s", res.Reason)
	}
}
