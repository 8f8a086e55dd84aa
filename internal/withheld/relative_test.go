package withheld

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// relativeTree is a repository that the caller is in, with what variables may name in it.
func relativeTree(t *testing.T) string {
	t.Helper()
	dir := closedTree(t, "r/.git/HEAD", "r/src/m.py", "r/scripts/tool", "r/out/x", "r/ed.sh", "r/lib/x.so")
	t.Chdir(dir + "/r")
	return dir + "/r"
}

// What relative words of variables mean from the folder that the caller is in is not written
// to either; what lies beside that may be.
func TestHintsAreNotForWhatVariablesNameFromHere(t *testing.T) {
	for _, c := range []struct{ variable, value, p string }{
		{"PYTHONPATH", "src", "src"}, {"PYTHONPATH", "/none:src", "src"}, {"PYTHONPATH", "gen", "gen"}, {"NODE_OPTIONS", "--require ./src/m.py", "src"}, {"NODE_OPTIONS", "--require=./ed.sh", "ed.sh"}, {"NODE_PATH", "./src", "src"},
		{"LD_LIBRARY_PATH", "lib", "lib"}, {"LD_PRELOAD", "./lib/x.so", "lib/x.so"}, {"BASH_ENV", "ed.sh", "ed.sh"}, {"BASH_ENV", "./none.sh", "none.sh"}, {"EDITOR", "./ed.sh", "ed.sh"}, {"EDITOR", "sh ed.sh", "ed.sh"}, {"EDITOR", "scripts/none", "scripts"},
		{"CC", "scripts/tool -O2", "scripts"}, {"MAKE", "make -C src", "src"}, {"MAKEFLAGS", "-Isrc", "src"}, {"PERL5OPT", "-Ilib", "lib"}, {"GOFLAGS", "-toolexec=./scripts/tool", "scripts/tool"}, {"LUA_PATH", "src/?.lua;;", "src"},
		{"GIT_EDITOR", "./ed.sh", "ed.sh"}, {"GIT_EXTERNAL_DIFF", "scripts/tool", "scripts"}, {"GIT_CONFIG_GLOBAL", "ed.sh", "ed.sh"}, {"GIT_TEMPLATE_DIR", "src", "src"}, {"CARGO_HOME", "src", "src"},
	} {
		t.Run(c.variable+"="+c.value, func(t *testing.T) {
			dir := relativeTree(t)
			t.Setenv(c.variable, c.value)
			h := New()
			if got := h.Withheld(filepath.Join(dir, c.p), true); !strings.HasSuffix(got, ", by "+c.variable) {
				t.Errorf("Withheld(%s) to be written = %q, want the variable named", c.p, got)
			}
			if got := h.Withheld(filepath.Join(dir, "out"), true); got != "" {
				t.Errorf("Withheld(out) to be written = %q", got)
			}
		})
	}
}

// Words that are no paths keep nothing back.
func TestHintsAreForWhatVariablesDoNotName(t *testing.T) {
	for variable, value := range map[string]string{
		"EDITOR": "env X=1 /usr/bin/vim -n", "PAGER": "less -R", "NODE_OPTIONS": "--max-old-space-size=100", "MAKEFLAGS": "rR -j8", "ENV": "out", "GIT_AUTHOR_NAME": "out", "GIT_BRANCH": "origin/main", "GIT_PAGER": "less", "VISUAL": "out",
		"MAKE": "make .", "LESSOPEN": "|/usr/bin/lesspipe %s", "NODE_PATH": "/none:", "JAVA_OPTS": "-Dx=http://host/y", "RUSTFLAGS": "-C link-arg=-fuse-ld=mold", "GIT_SSH_COMMAND": "ssh -i /none/key",
	} {
		t.Run(variable, func(t *testing.T) {
			dir := relativeTree(t)
			t.Setenv(variable, value)
			h := New()
			for _, p := range []string{"out", "src", "."} {
				if got := h.Withheld(filepath.Join(dir, p), true); got != "" {
					t.Errorf("%s=%s: Withheld(%s) to be written = %q", variable, value, p, got)
				}
			}
		})
	}
}

// An empty element of a list is the folder itself: code in it is loaded, and data is not. In
// PATH it has what lies there directly run.
func TestHintsAreNotForWhatEmptyElementsName(t *testing.T) {
	for variable, value := range map[string]string{"PYTHONPATH": "/none:", "LD_LIBRARY_PATH": ":/none", "CLASSPATH": "/none::/no", "PATH": "/usr/bin:", "NODE_PATH": "."} {
		t.Run(variable, func(t *testing.T) {
			dir := relativeTree(t)
			t.Setenv(variable, value)
			h := New()
			for p, refused := range map[string]bool{".": true, "src/m.py": variable != "PATH", "ed.sh": true, "out": false} {
				if got := h.Withheld(filepath.Join(dir, p), true); (got != "") != refused {
					t.Errorf("%s=%s: Withheld(%s) to be written = %q, want refused: %v", variable, value, p, got, refused)
				}
			}
		})
	}
	dir := relativeTree(t)
	t.Setenv("PATH", "/usr/bin:./scripts")
	if got := New().Withheld(dir+"/scripts", true); !strings.Contains(got, "programs that you run") {
		t.Errorf("Withheld(scripts), which PATH has = %q", got)
	}
}

// Git starts programs in its work tree, whatever part of that the caller is in, and takes
// settings from variables as from files.
func TestHintsAreNotForWhatGitVariablesNameFromTheTree(t *testing.T) {
	for _, variables := range []map[string]string{
		{"GIT_EDITOR": "./scripts/tool"}, {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "scripts"}, {"GIT_CONFIG_PARAMETERS": "'core.hookspath'='scripts'"},
		{"GIT_CONFIG_PARAMETERS": "'user.name=x' 'core.hooksPath=scripts'"}, {"GIT_CONFIG_KEY_0": "filter.x.clean", "GIT_CONFIG_VALUE_0": "sh scripts/tool"},
	} {
		t.Run(fmt.Sprint(variables), func(t *testing.T) {
			dir := relativeTree(t)
			t.Chdir(dir + "/out")
			for variable, value := range variables {
				t.Setenv(variable, value)
			}
			if got := New().Withheld(dir+"/scripts", true); !strings.Contains(got, "git") {
				t.Errorf("%v: Withheld(scripts) to be written = %q", variables, got)
			}
			if got := New().Withheld(dir+"/src", true); got != "" {
				t.Errorf("%v: Withheld(src) to be written = %q", variables, got)
			}
		})
	}
}

// Settings in variables are told apart as git does.
func TestGitVariables(t *testing.T) {
	t.Setenv("GIT_CONFIG_KEY_0", "url.a.b/c.insteadOf")
	t.Setenv("GIT_CONFIG_VALUE_0", "x y")
	t.Setenv("GIT_CONFIG_PARAMETERS", `'Core.Editor'='it'\''s' 'alias.x=!y = z'`)
	want := []gitEntry{{"url", "a.b/c", "insteadof", "x y"}, {"core", "", "editor", "it's"}, {"alias", "", "x", "!y = z"}}
	if got := gitVariables(); !slices.Equal(got, want) {
		t.Errorf("gitVariables() = %q, want %q", got, want)
	}
}
