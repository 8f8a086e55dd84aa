package runner

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail"
)

// hintOfBody tells of a source that was written as a module or as an expression, and is
// the body of a function. It changes no hint that is there.
func hintOfBody(res *jail.Result, l Language, source string) {
	if res.Hint != "" {
		return
	}
	switch {
	case l != Python && res.Error != nil && res.Error.Name == "SyntaxError" && imports(source):
		res.Hint = "the source is the body of an async function, which has no import statements"
		if l == Node {
			res.Hint += ": const fs = require('fs'), or const m = await import('fs')"
		}
	case l == Python && res.Error != nil && res.Error.Name == "TypeError" && strings.HasSuffix(res.Error.Message, "object is not callable") && callsInput(res.Error.Trace):
		res.Hint = "input is the value that the request gives, and no function here; stdin is empty"
	case res.OK && string(res.Value) == "null" && !strings.Contains(source, "return") && endsInExpression(source):
		res.Hint = "the value is what the source returns, and it has no return statement: return the last line's value"
	}
}

// callsInput says whether a trace has a line of the source that calls input.
func callsInput(trace string) bool {
	for before, after, ok := strings.Cut(trace, "input("); ok; before, after, ok = strings.Cut(after, "input(") {
		last, _ := utf8.DecodeLastRuneInString(before)
		if last != '.' && last != '_' && !unicode.IsLetter(last) && !unicode.IsDigit(last) {
			return true
		}
	}
	return false
}

// imports says whether a line of a source begins as an import or export of a module.
func imports(source string) bool {
	for line := range strings.Lines(source) {
		word, _, more := strings.Cut(strings.TrimSpace(line), " ")
		if more && (word == "import" || word == "export") {
			return true
		}
	}
	return false
}

// endsInExpression says whether the last line of a source is likely there for its value: it
// ends no call and no block, and sets nothing.
func endsInExpression(source string) bool {
	source = strings.TrimRight(source, "; \t\r\n")
	line := strings.TrimSpace(source[strings.LastIndexByte(source, '\n')+1:])
	if line == "" || strings.ContainsAny(line[len(line)-1:], ")}'`/") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") {
		return false
	}
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "const", "let", "var", "pass", "import", "from", "del", "global", "await", "throw", "raise", "break", "continue":
		return false
	}
	plain := strings.NewReplacer("==", "", "!=", "", "<=", "", ">=", "", "=>", "").Replace(line)
	return !strings.Contains(plain, "=") && !strings.HasSuffix(line, "++") && !strings.HasSuffix(line, "--")
}
