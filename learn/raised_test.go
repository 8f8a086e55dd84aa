package learn

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// What a flag gave the watching box, and no run measures, the profile has too, or tells of:
// without it the program would be refused what it was not in the runs.
func TestRaisedSettingsAreLearned(t *testing.T) {
	w := watched(read("/proj/a"))
	w.Given.Env = []string{"PATH=/usr/bin"}
	w.Spec.Env = []string{"PATH=/usr/bin", "TOKEN_X=secret", "A B=\n"}
	w.Spec.Limits = Watching(jail.Limits{NoFile: 4000, FileSize: 4 << 30}, jail.Limits{})
	got := From("base", []string{"x"}, []Watched{w}).TOML()
	for _, line := range []string{"nofile = 4000 # as in the watching box: how much of it is needed was not measured", "file_size = \"4G\" #",
		`#   the variable TOKEN_X was given: run it with --pass-env TOKEN_X or --env TOKEN_X=…; to pass it always: env.pass = ["TOKEN_X"]`} {
		if !strings.Contains(got, "\n"+line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	if strings.Contains(got, "secret") || strings.Contains(got, "variable PATH") {
		t.Errorf("a variable's value, or one of the profile's, is told:\n%s", got)
	}
	decodes(t, got)
	w = watched(read("/proj/a"))
	w.Spec.Limits = Watching(jail.Limits{}, jail.Limits{})
	if w.Spec.Limits.NoFile != 0 {
		t.Errorf("nofile %d: want the profile's, since nobody measures how many files are open", w.Spec.Limits.NoFile)
	}
	if got := From("base", []string{"x"}, []Watched{w}).TOML(); strings.Contains(got, "nofile") || strings.Contains(got, "file_size") {
		t.Errorf("limits are raised that nobody raised:\n%s", got)
	}
}
