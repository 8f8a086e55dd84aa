package wasm

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// TestOutOfMemory: a source whose memory is used up gets the same answer at every size of
// it, whatever it fills it with.
func TestOutOfMemory(t *testing.T) {
	for _, c := range []struct {
		name, source string
		at           string // in the trace; "": there may be none
		value        string // it caught it, and this came of that
	}{
		{"objects", `const a = []; for (;;) a.push({})`, "source.js:1", ""},
		{"objects that stay", `globalThis.a = []; for (;;) a.push({ x: [1] })`, "source.js:1", ""},
		{"functions", `await null; const a = []; for (;;) a.push(() => a)`, "source.js:1", ""},
		{"strings", `const s = "x".repeat(1e6), a = []; for (;;) a.push(s + a.length)`, "source.js:1", ""},
		{"small strings", `const a = []; for (;;) a.push("x" + a.length)`, "source.js:1", ""},
		{"buffers", `const a = []; for (;;) a.push(new ArrayBuffer(1 << 22))`, "source.js:1", ""},
		{"small buffers", `const a = []; for (;;) a.push(new Uint8Array(64))`, "source.js:1", ""},
		{"one buffer", `return new ArrayBuffer(2 ** 31 - 1).byteLength`, "source.js:1", ""},
		{"a map", `const m = new Map(); for (let i = 0; ; i++) m.set(i, {})`, "source.js:1", ""},
		{"in the background", `const f = async () => { const a = []; for (;;) a.push({}) }; f(); await new Promise(() => {})`, "source.js:1", ""},
		{"with the value", `const a = []; let o = a; try { for (;;) o = o[0] = [o] } catch { return { get a() { const b = []; for (;;) b.push({}) } } }`, "", ""},

		{"objects, caught", `let a = []; try { for (;;) a.push({}) } catch (e) { a = 0; return String(e) }`, "", `"InternalError: out of memory"`},
		{"strings, caught", `let a = []; try { for (;;) a.push("x" + a.length) } catch (e) { a = 0; return String(e) }`, "", `"InternalError: out of memory"`},
		{"buffers, caught", `let a = []; try { for (;;) a.push(new ArrayBuffer(1 << 22)) } catch (e) { a = 0; return String(e) }`, "", `"InternalError: out of memory"`},

		{"caught and filled again", `globalThis.a = []; for (let i = 0; ; i++) try { for (;;) a.push({}) } catch (e) { if (i > 9) throw e }`, "", ""},
		{"caught and thrown on", `const a = []; for (let i = 0; ; i++) try { for (;;) a.push({}) } catch (e) { if (i > 9) throw e }`, "", ""},
		{"caught, filled again and returned", `globalThis.a = []; for (;;) try { for (;;) a.push({}) } catch (e) { if (e === null) return a }`, "", ""},
		{"caught, filled again and waiting", `globalThis.a = []; for (let i = 0; i < 9; i++) try { for (;;) a.push({}) } catch {} await new Promise((r) => setTimeout(r, 10))`, "", ""},
	} {
		for _, memory := range []string{"48M", "96M"} {
			t.Run(c.name+"/"+memory, func(t *testing.T) {
				res := evaluate(t, c.source, `null`, "--memory", memory, "--timeout", "90s")
				if c.value != "" {
					if res.Reason != jail.ReasonOK || string(res.Value) != c.value {
						t.Errorf("%s: %s, value %s, error %+v, want ok and %s", res.Reason, res.Message, res.Value, res.Error, c.value)
					}
					return
				}
				if res.Reason != jail.ReasonOutOfMemory || res.ExitStatus() != 137 || res.Error == nil || res.Error.Name != "InternalError" || res.Error.Message != "out of memory" || !strings.Contains(res.Hint, "--memory") {
					t.Fatalf("%s: %s, hint %q, error %+v", res.Reason, res.Message, res.Hint, res.Error)
				}
				if !strings.Contains(res.Error.Trace, c.at) {
					t.Errorf("trace %q, want %q in it", res.Error.Trace, c.at)
				}
			})
		}
	}
}

// TestNullAndWaiting: who has memory left throws null, and waits, as everybody does.
func TestNullAndWaiting(t *testing.T) {
	const full = `let a = []; try { for (;;) a.push({}) } catch { a = 0 } `
	for source, want := range map[string]string{
		`throw null`:                            "null: null",
		full + `throw null`:                     "null: null",
		full + `await new Promise(() => {})`:    "UnsettledPromise: nothing is left",
		full + `return { get a() { throw 3 } }`: "",
	} {
		res := evaluate(t, source, `null`, "--memory", "64M")
		got := ""
		if res.Error != nil {
			got = res.Error.Name + ": " + res.Error.Message
		}
		if !strings.HasPrefix(got, want) || (want == "") != (res.Reason == jail.ReasonInvalidOutput) {
			t.Errorf("%s: %s, error %q, want %q", source, res.Reason, got, want)
		}
	}
}
