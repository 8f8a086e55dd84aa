package profiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// tree makes files below a temporary folder and returns the folder, free of
// links. A name that ends in / is a folder, a content "-> TEXT" a symbolic
// link, a content that starts with #! or \x7f an executable.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		content = strings.ReplaceAll(content, "ROOT/", root+"/")
		switch text, link := strings.CutPrefix(content, "-> "); {
		case strings.HasSuffix(name, "/"):
		case link:
			err = os.Symlink(text, path)
		case strings.HasPrefix(content, "#!") || strings.HasPrefix(content, "\x7f"):
			err = os.WriteFile(path, []byte(content), 0o755)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func load(t testing.TB, name string, h Host) *Profile {
	t.Helper()
	p, err := Load(name, h)
	if err != nil {
		t.Fatalf("Load(%q): %v", name, err)
	}
	return p
}

// faultLines is an error's faults, one a line, without the common prefix.
func faultLines(err error, root string) string {
	if err == nil {
		return ""
	}
	fs, ok := err.(jail.Faults)
	if !ok {
		return "not faults: " + err.Error()
	}
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintln(&b, strings.ReplaceAll(f.String(), root, "ROOT"))
	}
	return b.String()
}

// planted is the fault of a path that leads through a link.
func planted(link, real string) string {
	return "a path without symbolic links, which an earlier run may have left behind: " + link + " is one; if it is right, give " + real
}

// grants is what of a view is neither a part of the system nor made up, as
// "kind source target" lines without the root; the target only if it differs.
func grants(spec jail.Spec, root string) string {
	var lines []string
	for _, m := range spec.View {
		if m.Kind == jail.MountFile || m.Kind == jail.MountSystem && !within(root, m.Source) {
			continue
		}
		line := string(m.Kind) + " " + m.Source
		if m.Target != m.Source {
			line += " " + m.Target
		}
		lines = append(lines, strings.ReplaceAll(line, root, "ROOT"))
	}
	return strings.Join(lines, "\n")
}

// inBox is args with the root replaced.
func inBox(args []string, root string) string {
	return strings.ReplaceAll(strings.Join(args, " "), root, "ROOT")
}

// manyGrants is n grants of as many folders, below dir.
func manyGrants(t testing.TB, dir string, n int) Overrides {
	t.Helper()
	var o Overrides
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%03d/%03d", i/100, i%100))
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		o.RO = append(o.RO, Grant{Host: path})
	}
	return o
}
