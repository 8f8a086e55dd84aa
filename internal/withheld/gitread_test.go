package withheld

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A setting is read as git reads it, which `git config --list` shows.
func TestGitSettingsAreReadAsGitDoes(t *testing.T) {
	for text, want := range map[string]string{
		"[core]\n\tsshCommand = \\\n/t/ssh -x\n":               "core..sshcommand=/t/ssh -x",
		"[Core]EDITOR=\"/sp ace/ed\" -w ; no\n":                "core..editor=/sp ace/ed -w",
		"[alias]\nx = \"!a # b\" # c \\\ny = z":                "alias..x=!a # b alias..y=z",
		"[a \"x]\\\"y\"]\r\n\tk = \"1\\\\2\"\r\n":              "a.x]\"y.k=1\\2",
		"\ufeff[a]\n\tflag\n\t; k = v\n[b] k=\\\"q\\\"\n[c":    "a..flag= b..k=\"q\"",
		"[a]\n\tk = one \\\n  two \\\n\tthree\n\tl = \"a\nm=b": "a..k=one   two \tthree a..l=a a..m=b",
	} {
		var got []string
		for _, e := range gitEntries(text) {
			if e.key != "" {
				got = append(got, e.section+"."+e.of+"."+e.key+"="+e.value)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("gitEntries(%q) = %q, want %q", text, got, want)
		}
	}
}

// gitTold writes one settings file of a repository, r, and says why no hint names a path
// for writing.
func gitTold(t *testing.T, dir, text, p string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "r/.git/config"), []byte(strings.ReplaceAll(text, "DIR", dir)), 0o644); err != nil {
		t.Fatal(err)
	}
	return New().Withheld(filepath.Join(dir, p), true)
}

// Whatever form a setting of git's has, what it may have run is not written to.
func TestHintsAreNotForWhatGitSettingsRunInAnyForm(t *testing.T) {
	dir := closedTree(t, "r/.git/HEAD", "r/src/x", "r/top.sh", "r/main", "r/sub/run", "tools/fsmon", "tools2/ssh", "sp ace/ed", "ext/deep/clean.sh", "q/smudge", "al/run", "esc/x", "upd/u", "url/helper", "rem/helper", "repos/a/x", "links/", "far/x", "me/x", "attrs/at", "me/own/x")
	os.Symlink("../far/x", dir+"/links/x")
	t.Chdir(dir + "/r")
	for _, c := range []struct {
		text, p string
		refused bool
	}{
		{"[core]\n sshCommand = \\\nDIR/tools2/ssh -x\n", "tools2", true},
		{"[core]\n fsmonitor = ../tools/fsmon\n", "tools", true},
		{"[core]\n fsmonitor = ../tools/fsmon\n", "tools/fsmon", true},
		{"[core]\n editor = \"DIR/sp ace/ed\" -w\n", "sp ace", true},
		{"[core]\n editor = \"'DIR/sp ace/ed' -w\"\n", "sp ace/ed", true},
		{"[core]\n editor = DIR/sp\\\\ ace/ed -w\n", "sp ace/ed", true},
		{"[filter \"x\"]\n clean = sh ../ext/deep/clean.sh %f\n", "ext/deep", true},
		{"[filter \"x\"]\n clean = sh ../ext/deep/clean.sh %f\n", "ext", true},
		{"[filter \"x\"]\n smudge = 'sh' \"DIR/q/smudge\"\n", "q", true},
		{"[alias]\n z = \"!cd DIR/al && ./run\"\n", "al/run", true},
		{"[alias]\n z = \"!cd ../al && ./run\"\n", "al/run", true},
		{"[alias]\n url = !../al/run\n", "al", true},
		{"[alias]\n z = \"!$GIT_WORK_TREE/../al/run\"\n", "al", true},
		{"[alias]\n z = \"!$(git rev-parse --show-toplevel)/sub/run\"\n", "r/sub", true},
		{"[difftool \"v\"]\n cmd = cd\\\\ DIR/esc && x\n", "esc/x", true},
		{"[submodule \"s\"]\n update = !../upd/u\n", "upd", true},
		{"[url \"ext::DIR/url/helper\"]\n insteadOf = x\n", "url", true},
		{"[remote \"o\"]\n url = ext::DIR/rem/helper %S\n", "rem", true},
		{"[filter \"x\"]\n clean = sh top.sh\n", "r/top.sh", true},
		{"[core]\n pager = ../links/x\n", "far", true},
		{"[core]\n attributesFile = DIR/attrs/at\n", "attrs", true},
		{"[core]\n pager = ~/own/x\n", "me/own/x", true},
		{"[remote \"o\"]\n url = DIR/repos/a\n fetch = +refs/heads/*:refs/remotes/o/*\n[safe]\n directory = DIR/repos\n[maintenance]\n repo = DIR/repos\n", "repos/a", false},
		{"[branch \"main\"]\n remote = .\n merge = refs/heads/main\n[user]\n name = sub\n[core]\n bare = false\n", "r/sub", false},
		{"[alias]\n z = !cd . && cd DIR/r && cd .. && true\n", "r/src", false},
		{"[alias]\n z = !cd ~ && true\n", "me/x", false},
		{"[alias]\n z = \"!cd sub && ./run\"\n", "r/sub", true},
		{"[alias]\n z = !make -C sub\n", "r/sub/run", true},
		{"[filter \"x\"]\n clean = env PYTHONPATH=sub python3 -m run\n", "r/sub", true},
		{"[filter \"x\"]\n clean = sub/*.sh\n", "r/sub", true},
		{"[core]\n attributesFile = :(optional)sub/run\n", "r/sub", true},
		{"[user]\n name = the sub\n[branch \"main\"]\n description = about sub\n[pull]\n rebase = sub\n", "r/sub", false},
	} {
		if got := gitTold(t, dir, c.text, c.p); (got != "") != c.refused || c.refused && !strings.Contains(got, "git is told") {
			t.Errorf("%q: Withheld(%s) = %q, want refused: %v", c.text, c.p, got, c.refused)
		}
	}
}

// Settings that git reads where variables say have things run as those at their usual
// places do, and are not written to either.
func TestHintsAreNotForWhatGitSettingsByVariablesRun(t *testing.T) {
	dir := closedTree(t, "r/.git/HEAD", "gcg/x", "gcs/x", "xdg/x", "gd/x", "run/global", "run/system", "run/xdg", "run/dir", "run/value", "hooks/pre-commit", "inc/x")
	for variable, file := range map[string]string{"GIT_CONFIG_GLOBAL": "gcg/conf", "GIT_CONFIG_SYSTEM": "gcs/conf", "XDG_CONFIG_HOME": "xdg/git/config", "GIT_DIR": "gd/config"} {
		name := map[string]string{"GIT_CONFIG_GLOBAL": "global", "GIT_CONFIG_SYSTEM": "system", "XDG_CONFIG_HOME": "xdg", "GIT_DIR": "dir"}[variable]
		os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, file), []byte("[core]\n\tpager = "+dir+"/run/"+name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, file)
		if name == "xdg" || name == "dir" {
			at = filepath.Join(dir, strings.Split(file, "/")[0])
		}
		t.Setenv(variable, at)
	}
	t.Setenv("GIT_CONFIG_VALUE_0", dir+"/hooks")
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.pager'='"+dir+"/run/value'")
	t.Chdir(dir + "/r")
	h := New()
	for _, p := range []string{"run/global", "run/system", "run/xdg", "run/dir", "run/value", "hooks/pre-commit", "gcg", "gcg/conf", "gcs/conf", "xdg/git", "xdg/git/config"} {
		if h.Withheld(filepath.Join(dir, p), true) == "" {
			t.Errorf("Withheld(%s) to be written: want a reason", p)
		}
	}
	if got := h.Withheld(dir+"/inc", true); got != "" {
		t.Errorf("Withheld(inc) to be written = %q", got)
	}
}

// Settings with more words, or more files, than are looked at have nothing written to.
func TestGitSettingsAreBounded(t *testing.T) {
	dir := closedTree(t, "r/.git/HEAD", "r/src/x")
	words, files := strings.Builder{}, strings.Builder{}
	for i := range 30000 {
		fmt.Fprintf(&words, "a%d/b ", i)
	}
	for i := range 1000 {
		fmt.Fprintf(&files, "[include]\n path = f%d\n", i)
	}
	for _, text := range []string{"[alias]\n x = " + words.String() + "\n", files.String()} {
		if got := gitTold(t, dir, text, "r/src"); !strings.Contains(got, "is too long, or can't be read") {
			t.Errorf("%.20q…: Withheld(r/src) = %q, want that it is too long", text, got)
		}
	}
	if c := New().gitSettings(dir + "/r"); len(c.files) != mostFiles {
		t.Errorf("1000 files that are included: %d read", len(c.files))
	}
}

// What is left behind of settings that take too long does not go on.
func TestGitSettingsThatNobodyWaitsFor(t *testing.T) {
	dir := closedTree(t, "r/.git/HEAD")
	h := New()
	h.stop.Store(true)
	c := &gitConfigs{h: h, tree: dir + "/r"}
	c.named(gitEntry{}, "./x y/z", dir+"/r/.git/config")
	if len(c.runs) > 0 {
		t.Errorf("named %q", c.runs)
	}
}
