package runner

import (
	_ "embed"
	"encoding/base64"
	"path"
	"strings"
)

// A Language is one that there is a runner for.
type Language string

const (
	Node   Language = "node"
	Python Language = "python"
	Sh     Language = "sh"
	// Wasm is JavaScript again, in an engine that is a WebAssembly module in an engine
	// of those in the box: a second wall.
	Wasm Language = "wasm"
)

// Languages are all of them.
func Languages() []Language { return []Language{Node, Python, Sh, Wasm} }

// Of is the language that an interpreter runs, by its name or path: "node" or
// "/usr/bin/python3".
func Of(interpreter string) (Language, bool) {
	switch name := strings.TrimRight(path.Base(interpreter), "0123456789."); name {
	case "node", "nodejs":
		return Node, true
	case "python":
		return Python, true
	case "sh", "dash", "bash":
		return Sh, true
	case "jaild":
		return Wasm, true
	}
	return "", false
}

// The runners go to the interpreters as arguments: a file would have to be granted,
// which a box of tier 2 can't be given one of ours by.
var (
	//go:embed node.js
	nodeRunner string
	//go:embed quickjs.js
	quickJSRunner string
	//go:embed value.js
	valueWriter string
	//go:embed thrown.js
	thrownTeller string
	//go:embed python.py
	pythonRunner string
)

// pythonStart starts the runner with builtins of its own. Without a second argument
// the runner would be the module __main__, and what the source does to the builtins
// would be done to it. With -S it is the runner that has site look for packages, once it
// has what it is made of.
const pythonStart = `import builtins,sys
exec(compile(sys.argv.pop(1),"<runner>","exec"),{"__builtins__":dict(vars(builtins)),"__name__":"<runner>"})`

// Command is what the profile's interpreter is to run for a request: the arguments
// for [profiles.Profile.Spec].
func (l Language) Command(r Request) []string {
	switch l {
	case Node:
		runner := strings.Replace(nodeRunner, "HIDE", base64.StdEncoding.EncodeToString(hideLibrary), 1)
		return []string{"-e", withShared(runner, "(() => {\n")}
	case Python:
		return []string{"-S", "-c", pythonStart, pythonRunner}
	case Wasm:
		return []string{"--javascript"}
	}
	// What follows -c is an option as well if it begins like one; a space is none
	// of the script's business.
	return []string{"-c", " " + l.source(r)}
}

// source is what the language gets to see: without a byte order mark, and with what
// its compiler would not take.
func (l Language) source(r Request) string {
	s := strings.TrimPrefix(r.Source, "\ufeff")
	switch {
	case (l == Node || l == Wasm) && strings.HasPrefix(s, "#!"):
		return "//" + s[2:]
	case l == Sh:
		return strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
}

// QuickJS is the runner for [Wasm], which cmd/jaild starts.
func QuickJS() string { return withShared(quickJSRunner, "((host) => {\n") }

// withShared puts what both engines of JavaScript do alike at the head of a runner's
// function: what makes JSON of values and of what is thrown.
func withShared(js, head string) string {
	return strings.Replace(js, head, head+valueWriter+thrownTeller, 1)
}
