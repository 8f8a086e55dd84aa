package profiles

import "embed"

// The built-in profiles, as the text that users can read and learn from. What
// they say is also in builtin_generated.go, ready to use: decoding two of them
// costs a cold process 0.15 ms, a twentieth of a run.
//
//go:generate go test -run ^TestBuiltinsAreCurrent$ -update
//go:embed builtin/*.toml
var builtin embed.FS

// Names lists the built-in profiles, in the order in which they build on one
// another.
func Names() []string { return []string{"base", "sh", "node", "python", "wasm", "exec"} }

// Source is the text of a built-in profile, and whether there is one of that
// name.
func Source(name string) (text string, ok bool) {
	b, err := builtin.ReadFile("builtin/" + name + ".toml")
	return string(b), err == nil
}
