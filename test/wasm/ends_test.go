package wasm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

var (
	never = []byte{loop, nothing, br, 0, end}
	// hungry takes memory, 1 MiB at a time, until it gets none.
	hungry = slices.Concat([]byte{loop, nothing}, constant(16), []byte{memoryGrow, 0}, constant(-1), []byte{ne, brIf, 0, end})
)

// TestEnds is each way in which a module can end, or not begin.
func TestEnds(t *testing.T) {
	flood := module{imports: []imported{fdWrite}, data: "\x10\x00\x00\x00\x00\x10\x00\x00",
		code: slices.Concat([]byte{loop, nothing}, call(0, 1, 0, 1, 8), []byte{drop, br, 0, end})}
	for _, c := range []struct {
		name   string
		m      module
		flags  []string
		reason jail.Reason
		exit   int // -1 for none
		err    string
		text   string // in the error's message
		hint   string
	}{
		{"returns", module{}, nil, jail.ReasonOK, 0, "", "", ""},
		{"exits with 0", exit(0), nil, jail.ReasonOK, 0, "", "", ""},
		{"exits with 7", exit(7), nil, jail.ReasonExecutionFailed, 7, "", "", ""},
		{"exits with 256", exit(256), nil, jail.ReasonExecutionFailed, 255, "", "", ""},
		{"exits like the engine at a deadline", exit(-0x10000001), nil, jail.ReasonExecutionFailed, 255, "", "", ""},
		{"exits like the engine for no module", exit(126), nil, jail.ReasonExecutionFailed, 126, "", "", ""},
		{"unreachable", module{code: []byte{unreachable}}, nil, jail.ReasonExecutionFailed, 134, "Trap", "unreachable", ""},
		{"out of bounds", module{code: append(constant(-4), load, 2, 0, drop)}, nil, jail.ReasonExecutionFailed, 134, "Trap", "out of bounds memory access", ""},
		{"stack overflow", module{code: []byte{0x10, 0}}, nil, jail.ReasonExecutionFailed, 134, "Trap", "stack overflow", ""},
		{"division by zero", module{code: slices.Concat(constant(1), constant(0), []byte{divide, drop})}, nil, jail.ReasonExecutionFailed, 134, "Trap", "integer divide by zero", ""},
		{"grows past the cap", module{imports: []imported{procExit}, code: slices.Concat(constant(32767), []byte{memoryGrow, 0}, constant(-1), []byte{eq, 0x10, 0})}, nil, jail.ReasonExecutionFailed, 1, "", "", "its engine refused it memory before it failed: raise --memory"},
		{"takes all and exits", module{imports: []imported{procExit}, code: append(slices.Clone(hungry), call(0, 2)...)}, []string{"--memory", "128M"}, jail.ReasonExecutionFailed, 2, "", "", "raise --memory"},
		{"takes all and fails", module{code: append(slices.Clone(hungry), unreachable)}, []string{"--memory", "128M"}, jail.ReasonExecutionFailed, 134, "Trap", "raise --memory", "raise --memory"},
		{"takes all", module{code: hungry}, []string{"--memory", "128M"}, jail.ReasonOK, 0, "", "", ""},
		{"begins with too much", module{pages: 8000}, []string{"--memory", "128M"}, jail.ReasonExecFailed, 126, "InvalidModule", "more memory than it may have", "raise --memory"},
		{"never ends", module{code: never}, []string{"--timeout", "2s"}, jail.ReasonTimeout, -1, "", "", "raise --timeout"},
		{"uses up its processor time", module{code: never}, []string{"--cpu-time", "1s"}, jail.ReasonCPUTime, -1, "", "", ""},
		{"floods", flood, nil, jail.ReasonOutputTooLarge, -1, "", "", "raise --output"},
		{"imports what is not there", module{imports: []imported{{"env", "system", []byte{i32}, true}}}, nil, jail.ReasonExecFailed, 126, "MissingImport", "env.system", "wasip1"},
		{"imports what looks like another line", module{imports: []imported{{"a\x1b[31m\njail: ok", "x", []byte{i32}, true}}}, nil, jail.ReasonExecFailed, 126, "MissingImport", "is: a\ufffd[31m\ufffdjail: ok.x", "wasip1"},
		{"imports of WASI what is not there", module{imports: []imported{{preview1, "sock_connect", []byte{i32}, true}}}, nil, jail.ReasonExecFailed, 126, "MissingImport", preview1 + ".sock_connect", "wasip1"},
		{"imports an older WASI", module{imports: []imported{{"wasi_unstable", "proc_exit", []byte{i32}, false}}}, nil, jail.ReasonExecFailed, 126, "MissingImport", "wasi_unstable.proc_exit", ""},
		{"imports with another type", module{imports: []imported{{preview1, "proc_exit", []byte{i64}, true}}}, nil, jail.ReasonExecFailed, 126, "InvalidModule", "proc_exit", ""},
		{"has no start", module{start: "main"}, nil, jail.ReasonExecFailed, 126, "NoStart", "_start", "wasip1"},
		// What has run is no module that can't be run, whatever becomes of the engine.
		{"has the engine panic", module{imports: []imported{poll}, code: append(call(0, 0, 0, 1<<28, 0), drop)}, nil, jail.ReasonExecutionFailed, 125, "EngineFailure", "", ""},
		{"has it panic after a refusal", module{imports: []imported{poll}, code: slices.Concat(constant(32767), []byte{memoryGrow, 0, drop}, call(0, 0, 0, 1<<28, 0), []byte{drop})}, nil, jail.ReasonExecutionFailed, 125, "EngineFailure", "", ""},
		{"breaks the rules", module{code: []byte{drop}}, nil, jail.ReasonExecFailed, 126, "InvalidModule", "", ""},
		{"accepts from no socket", module{imports: []imported{procExit, accept}, code: slices.Concat(call(1, 3, 0, 1024), []byte{0x10, 0})}, nil, jail.ReasonExecutionFailed, 8, "", "", ""}, // EBADF of WASI
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := runs(t, c.m, c.flags...)
			code, name, message := -1, "", ""
			if res.ExitCode != nil {
				code = *res.ExitCode
			}
			if res.Error != nil {
				name, message = res.Error.Name, res.Error.Message
			}
			if res.Reason != c.reason || code != c.exit || name != c.err || !strings.Contains(message, c.text) || !strings.Contains(res.Hint, c.hint) {
				t.Errorf("%s, exit code %d, %s: %q, hint %q; want %s, %d, %s: %q, %q", res.Reason, code, name, message, res.Hint, c.reason, c.exit, c.err, c.text, c.hint)
			}
			if strings.Contains(res.Hint, "shell") || c.hint == "" && strings.Contains(res.Hint, "memory") {
				t.Errorf("hint %q, which is about shells or memory", res.Hint)
			}
			if res.OK != (c.reason == jail.ReasonOK) || !res.TreeEmpty {
				t.Errorf("ok %v, tree empty %v", res.OK, res.TreeEmpty)
			}
			if c.err != "" && (!strings.Contains(res.Message, c.text) || !strings.Contains(res.Stderr.Text, "jail: wasm: "+c.err)) {
				t.Errorf("message %q and stderr %q don't tell of %s", res.Message, res.Stderr.Text, c.err)
			}
		})
	}
}

// TestNoModules is what can't be made by the builder: files that are no modules.
func TestNoModules(t *testing.T) {
	for _, c := range []struct{ name, text, err, message string }{
		{"script", "#!/bin/sh\n", "NotAModule", `begins with "#!/b"`},
		{"empty", "", "NotAModule", `begins with ""`},
		{"short", header[:6], "NotAModule", "version"},
		{"component", "\x00asm\x0d\x00\x01\x00", "NotAModule", "component"},
		{"cut", header + "\x01\x7f", "InvalidModule", ""},
		{"noise", header + strings.Repeat("\xff\x01noise", 50), "InvalidModule", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(folder(t, map[string]string{"m.wasm": c.text}), "m.wasm")
			for _, by := range [][]string{{file}, {"--interpreter", file}} {
				res := start(t, "", append([]string{"run", "--json", "--profile", "wasm", "--"}, by...)...)
				if res.Reason != jail.ReasonExecFailed || res.ExitStatus() != 126 || res.Error == nil || res.Error.Name != c.err || !strings.Contains(res.Error.Message, c.message) {
					t.Errorf("%v: %s, %d, %+v; want exec_failed, 126, %s: %s", by, res.Reason, res.ExitStatus(), res.Error, c.err, c.message)
				}
				if r := res.Refusal; r == nil || r.Stage != jail.StageExec || r.Operation == "" || r.Remedy != res.Hint {
					t.Errorf("%v: refusal %+v, want the stage exec, and the hint %q", by, r, res.Hint)
				}
			}
			res := start(t, c.text, "run", "--json", "--profile", "wasm", "--stdin", "-", "-")
			if res.Reason != jail.ReasonExecFailed {
				t.Errorf("from stdin: %s", res.Reason)
			}
		})
	}
}

// TestCounts: a module of a few bytes that says that four billion things follow ends as
// the documentation says, and not as a program with exit code 2.
func TestCounts(t *testing.T) {
	most := string(list(1<<32 - 1))
	custom := string(name("name"))
	for _, c := range []struct{ name, text string }{
		{"imports", holding(2, most)},
		{"functions", holding(3, most)},
		{"tables", holding(4, most)},
		{"globals", holding(6, most)},
		{"exports", holding(7, most)},
		{"elements", holding(9, most)},
		{"codes", holding(10, most)},
		{"data", holding(11, most)},
		{"locals", holding(1, "\x01\x60\x00\x00") + holding(3, "\x01\x00") + holding(10, "\x01"+string(name("\x01"+most+"\x7f\x0b")))},
		{"names of functions", holding(0, custom+"\x01"+string(name(most)))},
		{"names of locals", holding(0, custom+"\x02"+string(name("\x01\x00"+most)))},
	} {
		file := filepath.Join(folder(t, map[string]string{"m.wasm": header + c.text}), "m.wasm")
		res := start(t, "", "run", "--json", "--profile", "wasm", file)
		kind := ""
		if res.Error != nil {
			kind = res.Error.Name
		}
		t.Logf("%s: %s, %d, %s", c.name, res.Reason, res.ExitStatus(), kind)
		switch {
		case res.Reason == jail.ReasonOutOfMemory:
		case res.Reason == jail.ReasonExecFailed && kind == "InvalidModule":
		case res.Reason == jail.ReasonExecutionFailed && kind == "EngineFailure" && strings.Contains(res.Stderr.Text, "memory"):
		default:
			t.Errorf("%s: %s, %d, %q: %s; stderr %.300q", c.name, res.Reason, res.ExitStatus(), kind, res.Message, res.Stderr.Text)
		}
		if strings.Contains(res.Hint, "shell") {
			t.Errorf("%s: hint %q", c.name, res.Hint)
		}
	}
}

func holding(id byte, content string) string { return string(section(id, []byte(content))) }

// TestWithoutAnAnswer: where jail takes no word of the engine's, its status and stderr
// say the same.
func TestWithoutAnAnswer(t *testing.T) {
	file := filepath.Join(folder(t, map[string]string{"m.wasm": string(module{code: []byte{unreachable}}.bytes())}), "m.wasm")
	record := filepath.Join(t.TempDir(), "record")
	out, _ := command(jailPath, "run", "--output", "unlimited", "--record", record, "--profile", "wasm", file)
	text, _ := os.ReadFile(record)
	if !strings.Contains(string(out), "jail: wasm: Trap: unreachable") || !strings.Contains(string(text), `"exit_code":134`) {
		t.Errorf("%s; record %.300s", out, text)
	}
}
