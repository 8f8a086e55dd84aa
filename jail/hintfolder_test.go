package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a program misses that lies in the folder which its caller is in is told with that
// folder, and what the caller named with the flag that shows it.
func TestFolderHint(t *testing.T) {
	dir := ownTemp(t)
	filledFolder(t)
	for _, name := range []string{"Makefile", "sub/x.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const own = " lies in the folder that you are in, and the program started in /tmp, which is the box's own: --ro WORK --cwd WORK has it start there, to read, and --workspace WORK in place of both to write there as well"
	says := func(words string) string { return `printf '%s\n' "$0" >&2; exit 1` + "\x00" + words }
	for _, c := range []struct{ name, script, want string }{
		{"a name", "cat data.txt", `"data.txt"` + own},
		{"a bare name", "ls sub", `"sub"` + own},
		{"what it looks for by itself", says("ENOENT: no such file or directory, open '/tmp/h.js'"), `"h.js"` + own},
		{"make", says("make: *** No targets specified and no makefile found.  Stop."), `"Makefile"` + own},
		{"a module", says("ModuleNotFoundError: No module named 'helper'"), `"helper.py"` + own},
		{"a module's file", says("Error: Cannot find module './h.js'"), `"h.js"` + own},
		{"a path", "cat WORK/data.txt", `"WORK/data.txt" is not in the box: --ro WORK/data.txt allows it`},
		{"a path that is made", "echo x >WORK/new", `"WORK/new" is not in the box: --rw WORK allows it`},
		{"a path of the program's own", says("cat: WORK/data.txt: No such file or directory"), "its stderr tells of a file"},
		{"what is not there", "cat nothing.txt", "its stderr tells of a file"},
		{"a word that no command has", says("No such file or directory: sub"), "its stderr tells of a file"},
		{"nothing of the kind", says("it failed"), ""},
	} {
		s := shell("")
		script, word, _ := strings.Cut(strings.ReplaceAll(c.script, "WORK", dir), "\x00")
		s.Args = []string{"/bin/sh", "-c", script}
		if word != "" { // in a variable, since what the command names is the caller's
			s.Args[2] = strings.ReplaceAll(script, `"$0"`, `"$SAYS"`)
			s.Env = append(s.Env, "SAYS="+word)
		}
		s.Profile = &ProfileRef{Name: "exec", Dir: dir}
		res := runBox(t, s, IO{})
		if got := strings.ReplaceAll(res.Hint, dir, "WORK"); c.want != "" && !strings.HasPrefix(got, c.want) || c.want == "" && strings.Contains(got, "WORK") {
			t.Errorf("%s: hint %q, want %q; stderr %q", c.name, got, c.want, res.Stderr.Text)
		}
		s.Profile.Dir = ""
		if res := runBox(t, s, IO{}); strings.Contains(res.Hint, "--ro "+dir) || strings.Contains(res.Hint, "--rw "+dir) {
			t.Errorf("%s, of nobody's folder: hint %q", c.name, res.Hint)
		}
	}
}

// Of a folder that no hint names nothing is told, but that the box starts in its own.
func TestFolderHintOfWhatIsKeptBack(t *testing.T) {
	dir := ownTemp(t)
	for _, name := range []string{"data.txt", "id_rsa"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"data.txt", "nothing.txt"} {
		s := shell("cat " + name)
		s.Profile = &ProfileRef{Name: "exec", Dir: dir}
		res := runBox(t, s, IO{})
		if !strings.HasPrefix(res.Hint, "the program started in /tmp, which is the box's own and was empty") || !strings.Contains(res.Hint, "--ro FILE --cwd . shows") || strings.Contains(res.Hint, dir) {
			t.Errorf("%s: hint %q", name, res.Hint)
		}
	}
}

// What is granted where it lies, and is asked for by a name from there, is missed for the
// folder that the program starts in alone.
func TestFolderHintOfWhatIsGranted(t *testing.T) {
	dir := closedTree(t, "kept/data.txt", "kept/id_rsa", "plain/data.txt", "plain/sub/x.txt")
	for name, view := range map[string]Mount{"kept data.txt": ro(dir+"/kept/data.txt", dir+"/kept/data.txt"), "plain data.txt": ro(dir+"/plain/data.txt", dir+"/plain/data.txt"), "plain sub/x.txt": ro(dir+"/plain", dir+"/plain")} {
		folder, file, _ := strings.Cut(name, " ")
		s := shell("cat " + file)
		s.Profile, s.View = &ProfileRef{Name: "exec", Dir: dir + "/" + folder}, append(s.View, view)
		if res := runBox(t, s, IO{}); !strings.HasPrefix(res.Hint, "\""+file+"\" is granted where it lies") || !strings.HasSuffix(res.Hint, "--cwd . has it start there") {
			t.Errorf("%s: hint %q", name, res.Hint)
		}
		s.Dir = dir + "/" + folder
		want(t, runBox(t, s, IO{}), ReasonOK)
	}
}
