package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a script that the command names has as a path is looked for there, as what the
// command names itself; what the program merely says is not.
func TestScriptHint(t *testing.T) {
	dir, err := filepath.EvalSymlinks(ownTemp(t))
	if err != nil {
		t.Fatal(err)
	}
	keys := ownTemp(t)
	for _, name := range []string{dir + "/job/in.txt", dir + "/data/in.csv", dir + "/src/r/.git/HEAD", keys + "/id_rsa"} {
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const missing, missingKey, readOnly = "FileNotFoundError: [Errno 2] No such file or directory: 'WORK/", "FileNotFoundError: [Errno 2] No such file or directory: 'KEYS/", "OSError: [Errno 30] Read-only file system: '"
	for _, c := range []struct{ name, has, says, want string }{
		{"to be made", "WORK/data/out", "    open(name, 'w')\n" + missing + "data/out'", `"WORK/data/out" lies in a folder that the box does not show: --rw WORK/data has the program write there`},
		{"to be made, or read", "WORK/data/out", missing + "data/out'", `"WORK/data/out" lies in a folder that the box does not show: --ro WORK/data shows what is there`},
		{"there", "WORK/data/in.csv", missing + "data/in.csv'", `"WORK/data/in.csv" lies in a folder that the box does not show: --ro WORK/data shows what is there`},
		{"there, to be written", "WORK/data/in.csv", "    open(sys.argv[1], 'wb')\n" + missing + "data/in.csv'", `"WORK/data/in.csv" lies in a folder that the box does not show: --rw WORK/data has the program write there`},
		{"below a folder", "WORK/data/", missing + "data/a.csv'", `"WORK/data/a.csv" lies in a folder that the box does not show: --ro WORK/data shows what is there`},
		{"below a folder, to be written", "WORK/data/%d", "    open(name, mode=\"x\")\n" + missing + "data/1'", `"WORK/data/1" lies in a folder that the box does not show: --rw WORK/data has the program write there`},
		{"a folder that opens more", "WORK/src/x", "    open(name, 'w')\n" + missing + "src/x'", `"WORK/src/x" lies in a folder that the box does not show: --rw WORK/src has the program write there, and opens its r/.git as well`},
		{"a tree that is made", "WORK/data/a/b", readOnly + "WORK'", `"WORK/data/a/b" is not in the box: --rw WORK/data allows it`},
		{"from above the folder", "../out.txt", readOnly + "../out.txt'", `"../out.txt" is meant from where the program starts, which is /tmp, the box's own, and not the folder that you are in: --rw WORK --cwd WORK/job has it start there, and write to WORK, and opens its src/r/.git as well`},
		{"below a file", "WORK/data/in.csv/x", missing + "data/in.csv/x'", "its stderr tells of a file"},
		{"what no word has", "WORK/else", missing + "data/in.csv'", "its stderr tells of a file"},
		{"what no word has, above the folder", "out.txt", readOnly + "../out.txt'", "its stderr tells of a file"},
		{"neither the folder", "WORK/none/out", missing + "none/out'", "its stderr tells of a file"},
		{"what no hint names", "KEYS/id_rsa KEYS/out", missingKey + "id_rsa'", "its stderr tells of a file"},
		{"beside what no hint names", "KEYS/id_rsa KEYS/out", missingKey + "out'", "its stderr tells of a file"},
		{"the system", "/etc/x", readOnly + "/etc/x'", "its stderr tells of a file"},
	} {
		at := func(text string) string { return strings.NewReplacer("WORK", dir, "KEYS", keys).Replace(text) }
		script := filepath.Join(dir, "job/s.sh")
		if err := os.WriteFile(script, []byte(at("# "+c.has+"\n")+`printf '%s\n' "$SAYS" >&2; exit 1`), 0o644); err != nil {
			t.Fatal(err)
		}
		s := shell("")
		s.Args, s.Env, s.Profile = []string{"/bin/sh", script}, append(s.Env, "SAYS="+at(c.says)), &ProfileRef{Name: "exec", Dir: dir + "/job"}
		view := s.View
		s.View = append(view[:len(view):len(view)], ro(script, script))
		res := runBox(t, s, IO{})
		if got := strings.ReplaceAll(res.Hint, dir, "WORK"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: hint %q, want %q; stderr %q", c.name, got, c.want, res.Stderr.Text)
		}
		if strings.HasPrefix(c.says, "OSError") { // which is as well of what is granted
			continue
		}
		// A script that the box may write to is as good if it did not, and else has the
		// program's words alone.
		s.View = append(view[:len(view):len(view)], rw(dir+"/job", dir+"/job"))
		time.Sleep(20 * time.Millisecond)
		if got := strings.ReplaceAll(runBox(t, s, IO{}).Hint, dir, "WORK"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, by a script that the box may write to: hint %q, want %q", c.name, got, c.want)
		}
		s.Args = []string{"/bin/sh", "-c", `echo "# more" >>"$0"; . "$0"`, script}
		if got := runBox(t, s, IO{}).Hint; got != "" && !strings.HasPrefix(got, "its stderr tells of a file") {
			t.Errorf("%s, by a script that the box wrote to: hint %q", c.name, got)
		}
	}
}

// What the command itself names is looked for, and told as what the host has or has not.
func TestTypedHint(t *testing.T) {
	dir, err := filepath.EvalSymlinks(ownTemp(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in.csv"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const missing = "FileNotFoundError: [Errno 2] No such file or directory: 'WORK/"
	for _, c := range []struct{ names, says, want string }{
		{"WORK/in.csv", missing + "in.csv'", `"WORK/in.csv" is not in the box: --ro WORK/in.csv allows it`},
		{"WORK/in.csv", "    open(sys.argv[1], 'wb')\n" + missing + "in.csv'", `"WORK/in.csv" is not in the box: --rw WORK/in.csv allows it`},
		{"WORK/out", "    open(name, 'w')\n" + missing + "out'", `"WORK/out" is neither in the box nor on the host: --rw WORK lets the program make it there`},
		{"WORK/out", missing + "out'", `"WORK/out" is neither in the box nor on the host: if the program was to make it, --rw WORK lets it`},
		{"WORK/in.csv", "fatal: repository 'WORK/in.csv' does not exist", `"WORK/in.csv" is not in the box: --ro WORK/in.csv allows it`},
		{"WORK/x.db", `Error: unable to open database "WORK/x.db": unable to open database file`, `"WORK/x.db" is neither in the box nor on the host: if the program was to make it, --rw WORK lets it`},
	} {
		at := func(text string) string { return strings.ReplaceAll(text, "WORK", dir) }
		s := shell(`printf '%s\n' "$SAYS" >&2; exit 1`)
		s.Args, s.Env, s.Profile = append(s.Args, "sh", at(c.names)), append(s.Env, "SAYS="+at(c.says)), &ProfileRef{Name: "exec", Dir: dir}
		if got := strings.ReplaceAll(runBox(t, s, IO{}).Hint, dir, "WORK"); !strings.HasPrefix(got, c.want) {
			t.Errorf("after %q: hint %q, want %q", c.says, got, c.want)
		}
	}
}

// What was granted read-only, and a program says is so, is told with the flag that has it
// written to.
func TestReadOnlyGrantHint(t *testing.T) {
	dir, err := filepath.EvalSymlinks(ownTemp(t))
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "in")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ says, want string }{
		{"OSError: [Errno 30] Read-only file system: '../named'", `"ABOVE/named" is not in the box: --rw ABOVE allows it`},
		{"OSError: [Errno 30] Read-only file system: '../unnamed'", "its stderr tells of a file"},
		{"OSError: [Errno 30] Read-only file system: 'out.txt'", `"WORK/out.txt" lies in what is granted read-only: --rw WORK in place of --ro WORK allows it`},
		{"OSError: [Errno 30] Read-only file system: 'WORK/out.txt'", `"WORK/out.txt" lies in what is granted read-only: --rw WORK in place of --ro WORK allows it`},
		{"OSError: [Errno 30] Read-only file system", "its stderr tells of a file"},
	} {
		s := shell(`printf '%s\n' "$SAYS" >&2; exit 1 # ../named`)
		s.Env, s.Profile, s.Dir, s.View = append(s.Env, "SAYS="+strings.ReplaceAll(c.says, "WORK", dir)), &ProfileRef{Name: "exec", Dir: dir}, dir, append(s.View, ro(dir, dir))
		if got := strings.NewReplacer(dir, "WORK", filepath.Dir(dir), "ABOVE").Replace(runBox(t, s, IO{}).Hint); !strings.HasPrefix(got, c.want) {
			t.Errorf("after %q: hint %q, want %q", c.says, got, c.want)
		}
	}
}
