package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// evaluate runs source under the profile of its language.
func evaluate(t *testing.T, l Language, r Request, o profiles.Overrides) jail.Result {
	t.Helper()
	res, err := Eval(context.Background(), specFor(t, l, r, o), l, r)
	if err != nil {
		t.Fatalf("Eval: %v", err)
	}
	// On a machine with much else to do a bomb's hundred processes take longer to go
	// than the record waits for them.
	if !res.TreeEmpty && res.Usage.PidsPeak != nil && *res.Usage.PidsPeak < bounds().Limits.Pids/2 {
		t.Errorf("tree_empty is false")
	}
	return res
}

func specFor(t *testing.T, l Language, r Request, o profiles.Overrides) jail.Spec {
	t.Helper()
	host := profiles.CurrentHost()
	p, err := profiles.Load(string(l), host)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := p.Spec(l.Command(r), o, host)
	if err != nil {
		t.Fatal(err)
	}
	spec.CgroupParent = os.Getenv("JAIL_TEST_CGROUP_PARENT")
	return spec
}

// A row is a source and what comes of it.
type row struct {
	name   string
	source string
	input  string
	reason jail.Reason // "" is ok
	value  string      // JSON
	err    string      // the start of "Name: message", or anything
	says   string      // a part of the message, or of the trace
	stdout int64       // bytes, where it matters
}

func check(t *testing.T, l Language, rows []row, o profiles.Overrides) {
	t.Helper()
	for _, c := range rows {
		t.Run(string(l)+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			if c.reason == "" {
				c.reason = jail.ReasonOK
			}
			began := time.Now()
			o := o
			if c.reason != jail.ReasonTimeout { // a busy machine takes seconds to start an interpreter
				o.Limits.Timeout = time.Minute
			}
			res := evaluate(t, l, Request{Source: c.source, Input: json.RawMessage(c.input)}, o)
			if res.Reason != c.reason {
				t.Errorf("reason %s, want %s: %s; error %+v; stderr %.300q", res.Reason, c.reason, res.Message, res.Error, res.Stderr.Text)
			}
			if string(res.Value) != c.value {
				t.Errorf("value %.200s, want %.200s", res.Value, c.value)
			}
			thrown, trace := "", ""
			if res.Error != nil {
				thrown = res.Error.Name + ": " + res.Error.Message
				trace = thrown + "\n" + res.Error.Trace
			}
			if !strings.HasPrefix(thrown, strings.TrimSuffix(c.err, anything)) || (c.err == "") != (thrown == "") {
				t.Errorf("error %q, want %q", thrown, c.err)
			}
			if !strings.Contains(res.Message+"\n"+trace, c.says) {
				t.Errorf("message %q and trace %q, want %q in them", res.Message, trace, c.says)
			}
			if c.stdout != 0 && res.Stdout.Bytes != c.stdout {
				t.Errorf("%d bytes of output, want %d", res.Stdout.Bytes, c.stdout)
			}
			for _, ours := range []string{"[eval]", "<runner>", "node:internal/process"} {
				if strings.Contains(trace, ours) {
					t.Errorf("the trace shows the runner: %s", trace)
				}
			}
			if took := time.Since(began); took > 50*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

const (
	deep     = 10_000
	anything = "anything" // as an error: versions differ in it
)

// nested is brackets in one another, as JSON.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestNode(t *testing.T) {
	check(t, Node, []row{
		{name: "return", source: "return input.a + 1", input: `{"a":41}`, value: "42"},
		{name: "no input", source: "return input", value: "null"},
		{name: "await", source: "await new Promise(r => setTimeout(r, 5)); return 'x'", value: `"x"`},
		{name: "a promise is awaited", source: "return Promise.resolve([1])", value: "[1]"},
		{name: "undefined", source: "1 + 1", value: "null"},
		{name: "empty", source: "", value: "null"},
		{name: "a comment at the end", source: "return 1 // done", value: "1"},
		{name: "require", source: "return require('path').join('a', 'b')", value: `"a/b"`},
		{name: "import()", source: "return (await import('node:os')).EOL", value: `"\n"`},
		{name: "print", source: "console.log('{\"value\":1}'); console.error('x'); return 2", value: "2"},
		{name: "many lines printed are not lost", source: "for (let i = 0; i < 100000; i++) console.log(i); return 2", value: "2", stdout: 588890},
		{name: "much printed is not lost", source: "console.log('x'.repeat(900000)); return 2", value: "2", stdout: 900001},
		{name: "strings", source: `return ['é', '\u2028', '\u0000', '</script>', '\ud83d\ude00']`, value: "[\"é\",\"\u2028\",\"\\u0000\",\"</script>\",\"😀\"]"},
		{name: "half a surrogate pair", source: `return {a: 'a\ud800'}`, reason: jail.ReasonInvalidOutput, says: "surrogate"},
		{name: "input of odd strings", source: "return [input[0].charCodeAt(0), input[1], input[2]]", input: `["\ud800","\u0000","é"]`, value: `[55296,"\u0000","é"]`},
		{name: "numbers", source: "return [1e21, -0, 0.1, 123456789012345678901234567890n]", value: "[1e+21,0,0.1,123456789012345678901234567890]"},
		{name: "a large integer in the input is a double", source: "return input", input: "9007199254740993", value: "9007199254740992"},
		{name: "NaN", source: "return {a: [1, NaN]}", reason: jail.ReasonInvalidOutput, says: `value["a"][1] is NaN`},
		{name: "Infinity", source: "return -Infinity", reason: jail.ReasonInvalidOutput, says: "value is -Infinity"},
		{name: "a date", source: "return new Date(0)", value: `"1970-01-01T00:00:00.000Z"`},
		{name: "an invalid date", source: "return new Date('x')", reason: jail.ReasonInvalidOutput, says: "invalid date"},
		{name: "bytes", source: "return [Buffer.from('hi!'), new Uint8Array([1]), new ArrayBuffer(2), new DataView(new ArrayBuffer(4), 1, 2)]", value: `["aGkh","AQ==","AAA=","AAA="]`},
		{name: "typed arrays", source: "return [new Float64Array([1.5]), new Int16Array([-1, 2])]", value: "[[1.5],[-1,2]]"},
		{name: "a Map", source: "return new Map([['a', 1], [2, new Map()]])", value: `{"a":1,"2":{}}`},
		{name: "a Map with other keys", source: "return new Map([[{}, 1]])", reason: jail.ReasonInvalidOutput, says: "key"},
		{name: "a Map with keys that become one", source: "return new Map([['1', 1], [1, 2]])", reason: jail.ReasonInvalidOutput, says: "two keys"},
		{name: "a Set", source: "return new Set([1, new Set([2])])", value: "[1,[2]]"},
		{name: "instances", source: "class A { x = 1; y = undefined; get z() { return 1 } } return new A()", value: `{"x":1}`},
		{name: "toJSON", source: "return new URL('http://a/b')", value: `"http://a/b"`},
		{name: "holes", source: "return [, undefined, 1]", value: "[null,null,1]"},
		{name: "a function", source: "return {f() {}}", reason: jail.ReasonInvalidOutput, says: `value["f"] is a function`},
		{name: "a symbol", source: "return Symbol('a')", reason: jail.ReasonInvalidOutput, says: "symbol"},
		{name: "an error as the value", source: "return new Error('a')", reason: jail.ReasonInvalidOutput, says: "is an error"},
		{name: "a promise within", source: "return [Promise.resolve(1)]", reason: jail.ReasonInvalidOutput, says: "awaited"},
		{name: "an iterator", source: "return (function*() {})()", reason: jail.ReasonInvalidOutput, says: "iterator"},
		{name: "an array's iterator", source: "return {a: [1].values()}", reason: jail.ReasonInvalidOutput, says: `value["a"] is an iterator`},
		{name: "a string's iterator", source: "return 'ab'[Symbol.iterator]()", reason: jail.ReasonInvalidOutput, says: "iterator"},
		{name: "an expression's iterator", source: "return 'ab'.matchAll(/a/g)", reason: jail.ReasonInvalidOutput, says: "iterator"},
		{name: "an asynchronous iterator", source: "return (async function*() {})()", reason: jail.ReasonInvalidOutput, says: "iterator"},
		{name: "a weak reference", source: "return new WeakRef({})", reason: jail.ReasonInvalidOutput, says: "weak"},
		{name: "cyclic", source: "const a = {}; a.b = [a]; return a", reason: jail.ReasonInvalidOutput, says: `value["b"][0] contains itself`},
		{name: "cyclic by toJSON", source: "const a = {toJSON() { return a }}; return a", reason: jail.ReasonInvalidOutput, says: "contains itself"},
		{name: "the same twice", source: "const a = [1]; return [a, a]", value: "[[1],[1]]"},
		{name: "deep", source: "let a = []; for (let i = 0; i < 10000; i++) a = [a]; return a", reason: jail.ReasonInvalidOutput, says: "deeper than 500"},
		{name: "as deep as may be", source: "return input", input: nested(MaxDepth), value: nested(MaxDepth)},
		{name: "deep by toJSON", source: "const f = () => ({toJSON: f}); return f()", reason: jail.ReasonInvalidOutput, says: "deeper than 500"},
		{name: "a getter that throws", source: "return {get a() { throw new TypeError('no') }}", reason: jail.ReasonInvalidOutput, says: "TypeError: no"},
		{name: "__proto__", source: "return [input, {['__proto__']: 2}, Object.keys(input)]", input: `{"__proto__":{"a":1}}`, value: `[{"__proto__":{"a":1}},{"__proto__":2},["__proto__"]]`},
		{name: "huge", source: "return 'x'.repeat(3e6)", reason: jail.ReasonOutputTooLarge},
		{name: "huge by length", source: "return new Array(4e9)", reason: jail.ReasonOutputTooLarge},
		{name: "throw", source: "const f = () => {\n  throw new TypeError('no')\n}\nf()", reason: jail.ReasonExecutionFailed, err: "TypeError: no", says: "source.js:2:9"},
		{name: "throw later", source: "await null;\nnull.x", reason: jail.ReasonExecutionFailed, err: "TypeError: ", says: "source.js:2:6"},
		{name: "throw in the first line", source: "throw new Error('a')", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "source.js:1:7"},
		{name: "throw what is no error", source: "throw 42", reason: jail.ReasonExecutionFailed, err: "number: 42"},
		{name: "throw nothing", source: "throw undefined", reason: jail.ReasonExecutionFailed, err: "undefined: undefined"},
		{name: "throw an object", source: "throw {a: 1}", reason: jail.ReasonExecutionFailed, err: "object: { a: 1 }"},
		{name: "throw null", source: "throw null", reason: jail.ReasonExecutionFailed, err: "null: null"},
		{name: "throw what can't be read", source: "throw {get stack() { throw 1 }}", reason: jail.ReasonExecutionFailed, err: "object: what was thrown"},
		{name: "reject", source: "return Promise.reject(new RangeError('r'))", reason: jail.ReasonExecutionFailed, err: "RangeError: r"},
		{name: "reject in the background", source: "Promise.reject(new Error('bg')); await new Promise(r => setTimeout(r, 1000)); return 1", reason: jail.ReasonExecutionFailed, err: "Error: bg"},
		{name: "throw in the background", source: "setTimeout(() => { throw new Error('bg') }); await new Promise(r => setTimeout(r, 1000)); return 1", reason: jail.ReasonExecutionFailed, err: "Error: bg", says: "source.js:1"},
		{name: "throw and catch by handler", source: "process.on('uncaughtException', () => {}); setTimeout(() => { throw 1 }); await new Promise(r => setTimeout(r, 50)); return 1", value: "1"},
		{name: "an error from Node.js", source: "require('fs').readFileSync('/nowhere')", reason: jail.ReasonExecutionFailed, err: "Error: ENOENT", says: "source.js:1"},
		{name: "syntax", source: "let a = 1\nlet b = ;", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected token ';'", says: "source.js:2"},
		{name: "more than a body", source: "}); (async function () {", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected token ')'", says: "source.js:1\n}); (async"},
		{name: "more than a body, of a method", source: "}[0] = {", reason: jail.ReasonExecutionFailed, err: "SyntaxError: the source ends the function whose body it is"},
		{name: "an unfinished block", source: "if (input) {\n  return 2\n", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected end of input"},
		{name: "one brace too many", source: "1\nreturn 1}", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected token '}'", says: "source.js:2\nreturn 1}\n\nSyntaxError: Unexpected token '}'"},
		{name: "one brace too many, of a block", source: "if (input) { return 2 }} // so", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected token '}'", says: "source.js:1\nif (input)"},
		{name: "an unfinished function", source: "1\nfunction f() {", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected end of input", says: "source.js:2\nfunction f() {\n"},
		{name: "the line of an eval", source: "// one\n// two\neval('throw new Error(2)')", reason: jail.ReasonExecutionFailed, err: "Error: 2", says: "(source.js:3:1), <anonymous>:1:7)\n    at source.js:3:1"},
		{name: "an error without a stack", source: "const e = new Error('x'); delete e.stack; throw e", reason: jail.ReasonExecutionFailed, err: "Error: x", says: "Error: x\nError: x\n"},
		{name: "nested too deep to compile", source: "return " + nested(200000), reason: jail.ReasonExecutionFailed, err: "RangeError: ", says: "exceeded\nRangeError: "},
		{name: "unfinished", source: "if (1) {", reason: jail.ReasonExecutionFailed, err: "SyntaxError: ", says: "source.js:1\nif (1) {\n"},
		{name: "unfinished in the last line", source: "1\nreturn (", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Unexpected end of input", says: "source.js:2\nreturn (\n\nSyntaxError: Unexpected end of input"},
		{name: "an unfinished call", source: "f(1", reason: jail.ReasonExecutionFailed, err: "SyntaxError: missing )", says: "source.js:1"},
		{name: "the cause of an error", source: "throw new Error('a', {cause: new TypeError('b', {cause: 7})})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "\ncaused by: TypeError: b\n    at source.js:1"},
		{name: "the cause of a cause", source: "throw new Error('a', {cause: new TypeError('b', {cause: 7})})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "\ncaused by: 7\n"},
		{name: "a cause in a circle", source: "const e = new Error('a'); e.cause = e; throw e", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "\ncaused by: Error: a"},
		{name: "a cause that throws", source: "throw new Error('a', {cause: {get stack() { throw 1 }, [require('util').inspect.custom]() { throw 2 }}})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "    at source.js:1:7\ncaused by: what can not be read\n"},
		{name: "errors of an error", source: "await Promise.any([Promise.reject(new TypeError('b')), Promise.reject(3)])", reason: jail.ReasonExecutionFailed, err: "AggregateError: All", says: "\nof these: TypeError: b"},
		{name: "errors in what is no error", source: "await null; throw {a: new Error('b'), c: [new TypeError('d', {cause: new Error('e')})]}", reason: jail.ReasonExecutionFailed, err: "object: {\n  a: Error: b\n      at source.js:1:23,\n  c: [\n    TypeError: d\n        at source.js:1:43 {\n      [cause]: Error: e\n          at source.js:1:70\n    }\n  ]\n}"},
		{name: "an error in an object that is the cause", source: "const f = () => new Error('b'); throw new Error('a', {cause: {e: f()}})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "\ncaused by: {\n  e: Error: b\n      at f (source.js:1:17)\n      at source.js:1:66\n}"},
		{name: "errors in a list that is the cause", source: "throw new Error('a', {cause: [new Error('b'), new Error('c')]})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "\ncaused by: [\n  Error: b\n      at source.js:1:31,\n  Error: c\n      at source.js:1:47\n]"},
		{name: "errors in an object of an error's", source: "throw new AggregateError([{a: new Error('b')}], 'c')", reason: jail.ReasonExecutionFailed, err: "AggregateError: c", says: "\nof these: {\n  a: Error: b\n      at source.js:1:31\n}"},
		{name: "errors in the reason of a signal", source: "const c = new AbortController(); c.abort({a: [new Error('b')]}); c.signal.throwIfAborted()", reason: jail.ReasonExecutionFailed, err: "object: {\n  a: [\n    Error: b\n        at source.js:1:47\n  ]\n}"},
		{name: "the reason of a signal that gives none", source: "throw new Error('a', {cause: AbortSignal.abort().reason})", reason: jail.ReasonExecutionFailed, err: "Error: a", says: "AbortError"},
		{name: "what is printed of a stack", source: "const a = new Error('a').stack; await null; const b = new Error('b').stack; return [a.split('\\n')[1], a.includes('[eval]'), b.includes('[eval]'), arguments.length, this === globalThis]", value: `["    at source.js:1:11",false,false,1,true]`},
		{name: "an error that a domain handles", source: "const d = require('domain').create(); let said; d.on('error', (e) => { said = e.message }); d.run(() => setTimeout(() => { throw new Error('a') })); await new Promise(r => setTimeout(r, 50)); return said", value: `"a"`},
		{name: "an error that nobody but a domain could handle", source: "const d = require('domain').create(); d.run(() => setTimeout(() => { throw new Error('a') })); await new Promise(r => setTimeout(r, 1000)); return 1", reason: jail.ReasonExecutionFailed, err: "Error: a"},
		{name: "an error that a callback captures", source: "let said; process.setUncaughtExceptionCaptureCallback((e) => { said = e }); setTimeout(() => { throw 3 }); await new Promise(r => setTimeout(r, 50)); return said", value: "3"},
		{name: "an integer beyond doubles", source: "return {a: 10n ** 309n}", reason: jail.ReasonInvalidOutput, says: "beyond 1.8e308"},
		{name: "an integer far beyond doubles", source: "return {a: 10n ** 5000n}", reason: jail.ReasonInvalidOutput, says: `value["a"] is an integer beyond 1.8e308`},
		{name: "globals that are frozen", source: "Object.freeze(globalThis); return [typeof module, typeof exports, typeof __filename, typeof require]", value: `["undefined","undefined","undefined","function"]`},
		{name: "import() says nothing", source: "let said = ''; process.stderr.write = (s) => { said += s; return true }; await import('node:os'); await new Promise(r => setTimeout(r, 50)); return said", value: `""`},
		{name: "other warnings are said", source: "let said = ''; process.stderr.write = (s) => { said += s; return true }; process.emitWarning('mine', 'ExperimentalWarning'); await new Promise(r => setTimeout(r, 50)); return said.includes('mine')", value: "true"},
		{name: "an unfinished comment", source: "return 1 /*", reason: jail.ReasonExecutionFailed, err: "SyntaxError: "},
		{name: "static import", source: "import fs from 'fs'", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Cannot use import statement", says: "source.js:1"},
		{name: "never settles", source: "await new Promise(() => {})", reason: jail.ReasonExecutionFailed, err: "UnsettledPromise: "},
		{name: "never ends", source: "for (;;);", reason: jail.ReasonTimeout},
		{name: "waits for ever", source: "setInterval(() => {}, 1000); await new Promise(() => {})", reason: jail.ReasonTimeout},
		{name: "exit", source: "process.exit(0)", reason: jail.ReasonInvalidOutput, says: "without a value"},
		{name: "exit with a code", source: "process.exit(3)", reason: jail.ReasonExecutionFailed, says: "exit code 3"},
		{name: "exitCode is no exit", source: "process.exitCode = 3; return 1", value: "1"},
		{name: "stdin is empty", source: "return require('fs').readFileSync(0, 'utf8')", value: `""`},
		{name: "process.stdin is empty", source: "let s = ''; for await (const c of process.stdin) s += c; return s", value: `""`},
		{name: "BOM", source: "\ufeffreturn 1", value: "1"},
		{name: "shebang", source: "#!/usr/bin/env node\nreturn 1", value: "1"},
		{name: "CRLF", source: "const a = 1\r\nreturn a\r\n", value: "1"},
		{name: "declared input", source: "const input = 1", reason: jail.ReasonExecutionFailed, err: "SyntaxError: Identifier 'input'"},
		{name: "timers are not waited for", source: "setTimeout(() => console.log('late'), 60000); return 1", value: "1"},
		{name: "argv and execArgv are clean", source: "return [process.argv.length, process.execArgv.some(a => a.length > 100)]", value: "[1,false]"},
		{name: "stack overflow", source: "const f = () => f() + 1; f()", reason: jail.ReasonExecutionFailed, err: "RangeError: "},
	}, profiles.Overrides{Limits: jail.Limits{Timeout: 6 * time.Second}})
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		l     Language
		r     Request
		field string
	}{
		{Node, Request{Source: "a\x00b"}, "source"},
		{Python, Request{Source: "\xff"}, "source"},
		{Sh, Request{Source: strings.Repeat("x", maxScript+1)}, "source"},
		{Node, Request{Source: "1", Input: json.RawMessage("{")}, "input"},
		{Node, Request{Source: "1", Input: json.RawMessage("1 2")}, "input"},
		{Node, Request{Source: "1", Input: json.RawMessage("NaN")}, "input"},
		{Node, Request{Source: "1", Input: json.RawMessage("\"\xff\"")}, "input"},
		{Python, Request{Source: "1", Input: json.RawMessage(nested(deep))}, "input"},
		{Node, Request{Source: strings.Repeat(" ", MaxRequest), Input: json.RawMessage("1")}, "request"},
	} {
		_, err := Eval(context.Background(), jail.Spec{}, c.l, c.r)
		var faults jail.Faults
		if !errors.As(err, &faults) || faults[0].Field != c.field {
			t.Errorf("Eval(%s, %.20q, %.20q): %v, want a fault of %s", c.l, c.r.Source, c.r.Input, err, c.field)
		}
	}
}
