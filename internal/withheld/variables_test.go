package withheld

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What variables have programs run, load or read settings from is not written to, and may
// be read.
func TestHintsAreNotForWhatVariablesRun(t *testing.T) {
	for variable, value := range map[string]string{
		"EDITOR": "DIR/in/f -w", "VISUAL": "env X=1 DIR/in/f", "PAGER": "DIR/in/f", "MANPAGER": "sh -c 'DIR/in/f'", "GIT_SSH_COMMAND": "DIR/in/f -i x", "GIT_EDITOR": "DIR/in/f", "GIT_TEMPLATE_DIR": "DIR/in", "GIT_EXEC_PATH": "DIR/in",
		"GIT_EXTERNAL_DIFF": "DIR/in/f", "GIT_ASKPASS": "DIR/in/f", "PROMPT_COMMAND": ". DIR/in/f", "ZDOTDIR": "DIR/in", "BASH_ENV": "DIR/in/f", "ENV": "DIR/in/f", "NODE_OPTIONS": "--max-old-space-size=9 --require DIR/in/f", "PERL5OPT": "-Mx -IDIR/in",
		"PERL5LIB": "/none:DIR/in", "RUBYOPT": "-rDIR/in/f", "RUBYLIB": "DIR/in", "JAVA_TOOL_OPTIONS": "-javaagent:DIR/in/f=x", "PYTHONSTARTUP": "DIR/in/f", "PYTHONPATH": "DIR/in", "PYTHONUSERBASE": "DIR/in", "RUSTC_WRAPPER": "DIR/in/f",
		"LESSOPEN": "||-DIR/in/f %s", "SSH_ASKPASS": "DIR/in/f", "SUDO_ASKPASS": "DIR/in/f", "LUA_PATH": "DIR/in/?.lua;;", "LD_PRELOAD": "/none.so DIR/in/f", "LD_LIBRARY_PATH": "DIR/in", "BROWSER": "DIR/in/f", "GOFLAGS": "-toolexec=DIR/in/f",
		"KUBE_EDITOR": "DIR/in/f -w", "BUNDLE_GEMFILE": "DIR/in/f", "CARGO_BUILD_RUSTC_WRAPPER": "DIR/in/f", "PS1": "$(DIR/in/f) $ ", "BASH_FUNC_x%%": "() { DIR/in/f \"$@\"; }", "FPATH": "DIR/in", "GCC_EXEC_PREFIX": "DIR/in/",
		"MAKEFILES": "DIR/in/f", "VIMINIT": "source DIR/in/f", "TCLLIBPATH": "DIR/in", "DOTNET_STARTUP_HOOKS": "DIR/in/f", "CARGO_HOME": "DIR/in", "SHELL": "DIR/in/f", "NODE_REPL_EXTERNAL_MODULE": "DIR/in/f", "XDG_CONFIG_DIRS": "/none:DIR/in",
	} {
		t.Run(variable, func(t *testing.T) {
			dir := closedTree(t, "in/f", "out/f", "link/x")
			t.Setenv(variable, strings.ReplaceAll(value, "DIR", dir))
			h := New()
			for _, p := range []string{"in/f", "in"} {
				// Of a folder for code, a file that is not called so is none.
				if got := h.Withheld(filepath.Join(dir, p), true); !strings.HasSuffix(got, ", by "+variable) && !(p == "in/f" && !strings.Contains(value, "/in/f")) {
					t.Errorf("%s=%s: Withheld(%s) to be written = %q, want the variable named", variable, value, p, got)
				}
			}
			for _, p := range []string{"out/f", "out", "in"} {
				if got := h.Withheld(filepath.Join(dir, p), p == "out"); got != "" {
					t.Errorf("%s=%s: Withheld(%s) = %q", variable, value, p, got)
				}
			}
		})
	}
}

// In folders that variables name, what is run lies: all of it, what is called as code is,
// or what a prefix has.
func TestHintsAreNotForWhatLiesInFoldersOfVariables(t *testing.T) {
	dir := closedTree(t, "lua/m.lua", "lua/data.csv", "tpl/hooks/post-checkout", "base/lib/x", "base/bin/x", "base/data", "missing/", "real/ed", "absent/", "bare/")
	os.Symlink("../real/ed", dir+"/missing/link")
	for variable, value := range map[string]string{"LUA_PATH": "/lua/?.lua", "GIT_TEMPLATE_DIR": "/tpl", "PYTHONUSERBASE": "/base", "EDITOR": "/missing/link", "PAGER": "/missing/none"} {
		t.Setenv(variable, dir+value)
	}
	t.Setenv("GIT_WORK_TREE", dir)
	t.Setenv("NPM_CONFIG_USERCONFIG", dir+"/absent/rc") // which its writer would make
	t.Setenv("XDG_CONFIG_HOME", dir+"/bare/conf")
	h := New()
	for p, refused := range map[string]bool{"lua/m.lua": true, "lua/new.lua": true, "lua/data.csv": false, "tpl/hooks/post-checkout": true, "tpl/hooks": true, "base/lib": true, "base/bin/x": true, "base/data": false, "absent": true, "absent/rc": true, "bare": true, "missing": true, "missing/none": true, "real/ed": true, "real": true} {
		if got := h.Withheld(filepath.Join(dir, p), true); (got != "") != refused {
			t.Errorf("Withheld(%s) to be written = %q, want refused: %v", p, got, refused)
		}
	}
}

// A folder that a variable names of which nothing is known may be where somebody works.
func TestHintsAreForFoldersOfOtherVariables(t *testing.T) {
	dir := closedTree(t, "job/x.py")
	t.Setenv("WORK_OF_SOMEBODY", dir)
	if got := New().Withheld(dir+"/job", true); got != "" {
		t.Errorf("Withheld(job) to be written = %q", got)
	}
}

// Where variables say that keys lie is as private as their usual places are, for reading
// and for writing.
func TestNoHintLeadsToKeysThatVariablesName(t *testing.T) {
	for _, variable := range keyVariables {
		t.Run(variable, func(t *testing.T) {
			dir := closedTree(t, "c/plain", "c/other", "d/x")
			t.Setenv(variable, dir+"/c/plain")
			if variable == "KUBECONFIG" {
				t.Setenv(variable, "/none:"+dir+"/c/plain")
			}
			h := New()
			for p, private := range map[string]bool{"c/plain": true, "c": true, "c/other": false, "d": false} {
				at := filepath.Join(dir, p)
				if got := h.Withheld(at, false); (got != "") != private {
					t.Errorf("Withheld(%s) to be read = %q, want private: %v", p, got, private)
				}
				if got := h.Private(at); (got != "") != private {
					t.Errorf("Private(%s) = %q, want private: %v", p, got, private)
				}
				if private && h.Withheld(at, true) == "" {
					t.Errorf("Withheld(%s) to be written: want a reason", p)
				}
			}
		})
	}
}

// Folders of keys, links to them and relative names count as well; and what of a home lies
// elsewhere by a variable is what it is there.
func TestNoHintLeadsToHomesThatVariablesName(t *testing.T) {
	dir := closedTree(t, "gph/deep/x", "real/x", "cwd/rel/x", "xdg/gh/hosts.yml", "xdg/none-that-anybody-knows/x", "xdg/git/credentials", "data/keyrings/x", "data/uv/python/x", "share/cargo/registry/x", "share/cargo/credentials.toml", "hf/token", "hf/hub/x", "up/xdg2/x")
	os.Symlink("real", dir+"/named")
	t.Chdir(dir + "/cwd")
	for variable, value := range map[string]string{"GNUPGHOME": dir + "/gph", "DOCKER_CONFIG": dir + "/named", "AZURE_CONFIG_DIR": "rel", "XDG_CONFIG_HOME": dir + "/xdg", "XDG_DATA_HOME": dir + "/data", "CARGO_HOME": dir + "/share/cargo", "HF_HOME": dir + "/hf", "HISTFILE": "/dev/null"} {
		t.Setenv(variable, value)
	}
	h := New()
	for p, private := range map[string]bool{"gph/deep/x": true, "gph/deep": true, "gph": true, "real/x": true, "named/x": true, "cwd/rel/x": true, "xdg/gh/hosts.yml": true, "xdg/gh": true, "xdg": true, "xdg/git/credentials": true, "xdg/none-that-anybody-knows/x": true,
		"data/keyrings/x": true, "data/uv/python/x": false, "share/cargo/registry/x": false, "share/cargo/registry": false, "share/cargo/credentials.toml": true, "share/cargo": true, "share": true, "hf/token": true, "hf": true, "hf/hub/x": false, "hf/hub": false, "up": false} {
		if got := h.Withheld(filepath.Join(dir, p), false); (got != "") != private {
			t.Errorf("Withheld(%s) to be read = %q, want private: %v", p, got, private)
		}
	}
	if got := h.Private(dir + "/xdg/gh/hosts.yml"); got == "" {
		t.Error("Private(xdg/gh/hosts.yml): want a reason")
	}
}

// The tables can be read and added to.
func TestVariablesAreInOrder(t *testing.T) {
	if !slices.IsSorted(keyVariables) || !slices.IsSorted(places) || !slices.IsSorted(notOfGit) || !slices.IsSorted(ofPlaces) {
		t.Errorf("keyVariables, notOfGit or ofPlaces are not in order: want %q, %q and %q", slices.Sorted(slices.Values(keyVariables)), slices.Sorted(slices.Values(notOfGit)), slices.Sorted(slices.Values(ofPlaces)))
	}
	seen := map[string]bool{}
	for _, group := range namers {
		if !slices.IsSorted(group.variables) {
			t.Errorf("not in order: want %q", slices.Sorted(slices.Values(group.variables)))
		}
		for _, v := range group.variables {
			if seen[v] {
				t.Errorf("%s is there twice", v)
			}
			seen[v] = true
		}
	}
}
