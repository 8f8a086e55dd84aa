package runner

import (
	"encoding/json"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// A source that was written as a module, or as an expression, is told what it is.
func TestHintOfBody(t *testing.T) {
	null, syntax := jail.Result{OK: true, Value: json.RawMessage("null")}, jail.Result{Error: &jail.Thrown{Name: "SyntaxError"}}
	called := func(line string) jail.Result {
		return jail.Result{Error: &jail.Thrown{Name: "TypeError", Message: "'NoneType' object is not callable", Trace: "  File \"source.py\", line 1, in source\n    " + line + "\n"}}
	}
	for _, c := range []struct {
		res    jail.Result
		l      Language
		source string
		hint   bool
	}{
		{null, Node, "input * 2", true}, {null, Python, "x = 1\nx + input\n", true}, {null, Wasm, "[1, 2];\n", true},
		{null, Node, "return null", false}, {null, Node, "console.log(1)", false}, {null, Node, "x = 2", false}, {null, Node, "let x", false}, {null, Node, "", false}, {null, Node, "if (a) { b }", false}, {null, Node, "x++", false},
		{jail.Result{OK: true, Value: json.RawMessage("1")}, Node, "input", false},
		{syntax, Node, "import fs from 'fs'\n1", true}, {syntax, Wasm, "  import {a} from 'a'", true}, {syntax, Python, "import fs from 'fs'", false}, {syntax, Node, "let b = ;", false},
		{called("x=input()"), Python, "", true}, {called("int(input(1))"), Python, "", true}, {called("x = get_input()"), Python, "", false}, {called("a.input()"), Python, "", false}, {called("x(input)"), Python, "", false}, {called("x=input()"), Node, "", false},
		{jail.Result{Hint: "h", Error: syntax.Error}, Node, "import fs from 'fs'", false},
	} {
		before := c.res.Hint
		if hintOfBody(&c.res, c.l, c.source); (c.res.Hint != before) != c.hint {
			t.Errorf("%s: %q has hint %q, want one: %v", c.l, c.source, c.res.Hint, c.hint)
		}
	}
}
