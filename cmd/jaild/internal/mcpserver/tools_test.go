package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
)

func TestTools(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	list, err := s.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Name != toolRead && !strings.Contains(tool.Description, "256 MiB of memory") {
			t.Errorf("%s does not tell its bounds: %s", tool.Name, tool.Description)
		}
	}
	slices.Sort(names)
	if want := []string{toolRead, toolCode, toolCommand}; !slices.Equal(names, want) {
		t.Errorf("tools = %v, want %v", names, want)
	}
}

func TestRunCode(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	for _, c := range []struct {
		language runner.Language
		source   string
		input    any
		reason   jail.Reason
		value    string
		stdout   string
		says     string // in the text
	}{
		{runner.Python, "print('log')\nreturn input['n'] * 7", map[string]int{"n": 6}, jail.ReasonOK, "42", "log\n", "value: 42"},
		{runner.Node, "console.log('log'); return await Promise.resolve({a: input[0]})", []int{1}, jail.ReasonOK, `{"a":1}`, "log\n", `value: {"a":1}`},
		{runner.Sh, "read x; echo $x", "in", jail.ReasonOK, `"in"`, "", `value: "in"`},
		{runner.Sh, "echo plain", nil, jail.ReasonOK, "", "plain\n", "plain"},
		{runner.Sh, "true", nil, jail.ReasonOK, "", "", "reason: ok"},
		{runner.Sh, "exit 3", nil, jail.ReasonExecutionFailed, "", "", "exit code 3"},
		{runner.Python, "print(1)", nil, jail.ReasonOK, "null", "1\n", ""},
		{runner.Python, "def f():\n  raise ValueError('no')\nf()", nil, jail.ReasonExecutionFailed, "", "", "source.py"},
		{runner.Node, "throw new TypeError('no')", nil, jail.ReasonExecutionFailed, "", "", "TypeError: no"},
		{runner.Node, "return NaN", nil, jail.ReasonInvalidOutput, "", "", "NaN"},
		{runner.Python, "return {", nil, jail.ReasonExecutionFailed, "", "", "SyntaxError"},
	} {
		arguments := code(c.language, c.source)
		if c.input != nil {
			arguments["input"] = c.input
		}
		r := s.call(toolCode, arguments)
		if r.Reason != c.reason || r.OK != (c.reason == jail.ReasonOK) || r.failed == r.OK || string(r.Value) != c.value || r.Stdout.Text != c.stdout {
			t.Errorf("%s %q: %s, value %s, stdout %q, failed %v, want %s, %s, %q\n%s", c.language, c.source, r.Reason, r.Value, r.Stdout.Text, r.failed, c.reason, c.value, c.stdout, r.text)
		}
		if !strings.Contains(r.text, c.says) {
			t.Errorf("%s %q: the text %s has no %q", c.language, c.source, r.text, c.says)
		}
		inside(t, r.text)
	}
}

// TestArguments: what a call may not say is refused, and told what it may.
func TestArguments(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{toolCode, `{"language":"python","source":"1","timeout_ms":9}`, []string{"timeout_ms", "language, source, input", "fixed by whoever started"}},
		{toolCode, `{"language":"python","source":"1","limits":{"memory":"1T"},"profile":"exec","ro":["/"],"net":"host","env":{}}`, []string{"limits", "profile", "ro", "net", "env"}},
		{toolCode, `{"Language":"python","source":"1"}`, []string{"Language", "language: must be there"}},
		{toolCode, `{"language":"python","language":"sh","source":"1"}`, []string{"once"}},
		{toolCode, `{"language":"ruby","source":"1"}`, []string{`["node" "python" "sh"]`}},
		{toolCode, `{"language":"../sh","source":"1"}`, []string{"language"}},
		{toolCode, `{"language":"python","source":["1"]}`, []string{"must be a string"}},
		{toolCode, `{"language":"python","source":null}`, []string{"must be a string"}},
		{toolCode, `{"language":"python","source":"\u0000"}`, []string{"NUL"}},
		{toolCode, `{"language":"python","source":"return '\ud800'"}`, []string{"source: must be text, without halves of surrogate pairs"}},
		{toolCode, `{"language":"sh","source":"echo \udc00\ud800"}`, []string{"source: must be text, without halves"}},
		{toolCode, "{\"language\":\"node\",\"source\":\"return '\xff'\"}", []string{"source: must be UTF-8"}},
		{toolCode, "{\"language\":\"node\",\"source\":\"1\",\"input\":\"\xff\"}", []string{"input: must be UTF-8"}},
		{toolCode, `{"language":"node\ud800","source":"1"}`, []string{"language: must be text"}},
		{toolCommand, `{"argv":["printf","%s","a\ud800","\udc00"]}`, []string{"argv: must be text, without halves"}},
		{toolCommand, "{\"argv\":[\"printf\",\"\xff\"]}", []string{"argv: must be UTF-8"}},
		{toolCommand, `{"argv":["cat"],"stdin":"\udfff"}`, []string{"stdin: must be text, without halves"}},
		{toolCommand, "{\"argv\":[\"cat\"],\"stdin\":\"\xc3\"}", []string{"stdin: must be UTF-8"}},
		{toolRead, `{"result":"\ud800","stream":"stdout"}`, []string{"result: must be text"}},
		{toolCode, `{"language":"sh","source":"` + strings.Repeat("#", 200_000) + `"}`, []string{"131070"}},
		{toolCode, `{"language":"python","source":"1","input":` + deep + `}`, []string{"500 levels"}},
		{toolCode, `{}`, []string{"language: must be there", "source: must be there"}},
		{toolCode, `[]`, []string{"must be an object"}},
		{toolCode, `"x"`, []string{"must be an object"}},
		{toolCode, `null`, []string{"must be an object"}},
		{toolCommand, `{"argv":"rm -rf /"}`, []string{"list of strings", "no shell"}},
		{toolCommand, `{"command":"ls | wc"}`, []string{"command: there is no such argument", "argv"}},
		{toolCommand, `{"argv":[]}`, []string{"list of strings"}},
		{toolCommand, `{"argv":[""]}`, []string{"list of strings"}},
		{toolCommand, `{"argv":["ls",1]}`, []string{"list of strings"}},
		{toolCommand, `{"argv":["ls","a\u0000b"]}`, []string{"NUL"}},
		{toolCommand, `{"argv":["ls"],"stdin":1}`, []string{"stdin"}},
		{toolCommand, `{"argv":["ls"],"cwd":"/","shell":true}`, []string{"cwd", "shell"}},
		{toolRead, `{"result":"x","stream":"stdout"}`, []string{"no such result"}},
		{toolRead, `{"result":"x","stream":"core"}`, []string{`"stdout" "stderr" "value"`}},
		{toolRead, `{"result":"x","stream":"stdout","offset":-1}`, []string{"offset"}},
		{toolRead, `{"result":"x","stream":"stdout","offset":1e99}`, []string{"offset"}},
	} {
		r := s.call(c.tool, rawJSON(c.arguments))
		if !r.failed || r.Refused == nil || r.Reason != "" {
			t.Errorf("%s %.200s: %s, want a refusal", c.tool, c.arguments, r.text)
		}
		for _, want := range c.want {
			if !strings.Contains(r.text, want) {
				t.Errorf("%s %.200s: %s, want %q in it", c.tool, c.arguments, r.text, want)
			}
		}
		if len(r.text) > 8<<10 {
			t.Errorf("%s %.200s: an answer of %d bytes", c.tool, c.arguments, len(r.text))
		}
	}
}

// TestCommandLine: a profile of a shell takes command lines.
func TestCommandLine(t *testing.T) {
	with := settings(t, small)
	with.Shell = true
	s := connect(t, with, nil)
	if r := s.call(toolCommand, map[string]any{"command": "echo a b | wc -w"}); r.Stdout.Text != "2\n" {
		t.Errorf("%s", r.text)
	}
	if r := s.call(toolCommand, map[string]any{"argv": []string{"cat"}, "stdin": "x"}); r.Stdout.Text != "x" {
		t.Errorf("%s", r.text)
	}
	for _, bad := range []string{`{}`, `{"argv":["ls"],"command":"ls"}`, `{"command":""}`, `{"command":"echo \ud800"}`, "{\"command\":\"echo \xff\"}"} {
		if r := s.call(toolCommand, rawJSON(bad)); r.Refused == nil {
			t.Errorf("%s: %s, want a refusal", bad, r.text)
		}
	}
}

// TestReadResult: what was too long is read on, to the last byte.
func TestReadResult(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	r := s.call(toolCode, code(runner.Python, "import sys; sys.stdout.write('ä€😀' * 5000); sys.stderr.buffer.write(b'\\xff' * 5000); return 'x' * 9000"))
	if r.Reason != jail.ReasonOK || r.Value != nil || r.ValueText == nil || r.Stdout.NextOffset == nil {
		t.Fatalf("%+v", r.answer)
	}
	for from, want := range map[stream]string{streamStdout: strings.Repeat("ä€😀", 5000), streamValue: `"` + strings.Repeat("x", 9000) + `"`} {
		got := ""
		for at := new(int64); at != nil; {
			p := s.call(toolRead, map[string]any{"result": r.Result, "stream": from, "offset": *at, "length": 1001})
			if p.failed || p.Page.Encoding != "" {
				t.Fatalf("%s at %d: %s", from, *at, p.text)
			}
			inside(t, p.text)
			got += p.Page.Text
			at = p.Page.NextOffset
		}
		if got != want {
			t.Errorf("%s: %d bytes, want %d", from, len(got), len(want))
		}
	}
	if p := s.call(toolRead, map[string]any{"result": r.Result, "stream": streamStderr, "offset": 4999}); p.Page.Encoding != "base64" || p.Page.Text != "/w==" || p.Page.NextOffset != nil || !strings.Contains(p.text, `\xff`) {
		t.Errorf("%+v %s", p.Page, p.text)
	}
	if p := s.call(toolRead, map[string]any{"result": r.Result, "stream": streamStdout, "offset": 1 << 40}); p.failed || p.Page.Text != "" {
		t.Errorf("past the end: %+v", p)
	}
}

// TestResultsMakeRoom: the oldest go first.
func TestResultsMakeRoom(t *testing.T) {
	r := newResults(10 << 10)
	for i := range 20 {
		r.keep(fmt.Sprint(i), map[stream]output{streamStdout: {kept: make([]byte, 1<<10)}})
	}
	if _, ok := r.get("0", streamStdout); ok || r.use > r.most {
		t.Errorf("%d bytes are kept of at most %d", r.use, r.most)
	}
	if _, ok := r.get("19", streamStdout); !ok {
		t.Error("the last one is not kept")
	}
	r.keep("large", map[stream]output{streamStdout: {kept: make([]byte, 1<<20)}})
	if _, ok := r.get("large", streamStdout); !ok || len(r.byID) != 1 {
		t.Errorf("%d results are kept beside a large one", len(r.byID))
	}
}

// TestOutputsMiddle: with output_mode truncate the head and the tail are there.
func TestOutputsMiddle(t *testing.T) {
	s := connect(t, settings(t, profiles.Overrides{Limits: jail.Limits{Output: 2000}, OutputMode: jail.OutputTruncate}), nil)
	r := s.sh("printf a; head -c 100000 /dev/zero | tr '\\0' b; printf c")
	if p := r.Stdout; r.Reason != jail.ReasonOK || p.Bytes != 100002 || p.Gap == nil || p.Text[0] != 'a' || p.Text[len(p.Text)-1] != 'c' || !strings.Contains(r.text, "are missing at") {
		t.Errorf("%+v\n%s", p, r.text)
	}
}
