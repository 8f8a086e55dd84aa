package profiles

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build compiles programs and libraries below a temporary folder:
//
//	app/bin/prog    needs liba.so by $ORIGIN/../lib
//	app/lib/liba.so needs libb.so by its own $ORIGIN/deps
//	old/prog        the same by DT_RPATH, which libraries inherit
//	evil/prog       looks for its libraries in beside/, where it is no library
//	evil/path       names app/lib/liba.so by its path, and nosuch one that is not there
//	links/prog      looks for its libraries in links/lib, a link to app/lib
//	pie/prog        needs a liba.so beside it that is a program
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	root := tree(t, map[string]string{
		"b.c": "int b(void) { return 1; }", "a.c": "int b(void); int a(void) { return b(); }",
		"main.c": "int a(void); int main(void) { return a() - 1; }", "plain.c": "int main(void) { return 0; }",
		"app/bin/": "", "app/lib/deps/": "", "old/lib/": "", "beside/": "", "evil/": "", "pie/": "", "links/lib": "-> ROOT/app/lib",
	})
	gcc := func(args string) {
		cmd := exec.Command("gcc", strings.Fields(args)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("gcc %s: %v\n%s", args, err, out)
		}
	}
	gcc("-shared -fPIC -o app/lib/deps/libb.so b.c")
	gcc("-shared -fPIC -Wl,--enable-new-dtags,-rpath,$ORIGIN/deps -o app/lib/liba.so a.c -Lapp/lib/deps -lb")
	gcc("-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib -o app/bin/prog main.c -Lapp/lib -la -Wl,-rpath-link,app/lib/deps")
	gcc("-shared -fPIC -o old/lib/libb.so b.c")
	gcc("-shared -fPIC -o old/lib/liba.so a.c -Lold/lib -lb")
	gcc("-Wl,--disable-new-dtags,-rpath," + root + "/old/lib -o old/prog main.c -Lold/lib -la -lb")
	gcc("-o plain plain.c")
	gcc("-Wl,--enable-new-dtags,-rpath," + root + "/beside -o evil/prog main.c -Lapp/lib -la -Wl,-rpath-link,app/lib/deps")
	gcc("-o evil/path main.c " + root + "/app/lib/liba.so -Wl,-rpath-link,app/lib/deps")
	gcc("-shared -fPIC -o app/lib/nosuch.so a.c -Lapp/lib/deps -lb")
	gcc("-o evil/nosuch main.c " + root + "/app/lib/nosuch.so -Wl,-rpath-link,app/lib/deps")
	gcc("-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib -o links/prog main.c -Lapp/lib -la -Wl,-rpath-link,app/lib/deps")
	gcc("-Wl,--enable-new-dtags,-rpath,$ORIGIN -o pie/prog main.c -Lapp/lib -la -Wl,-rpath-link,app/lib/deps")
	gcc("-pie -fPIE -o pie/liba.so plain.c")
	gcc("-Wl,--dynamic-linker=" + root + "/beside/it -o evil/loader plain.c")
	if err := os.Remove(root + "/app/lib/nosuch.so"); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"beside/libb.so": "it"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"beside/it", "beside/liba.so"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// brings is what every fault of a library says.
const brings = "a program that brings its libraries in its own folder; this one "

func TestLibraries(t *testing.T) {
	root := build(t)
	h := Host{Dir: root}
	for _, tt := range []struct {
		prog, want string
		o          Overrides
		fault      string
	}{
		{"plain", "ro ROOT/plain", Overrides{}, ""},
		{"app/bin/prog", "ro ROOT/app/bin/prog\nro ROOT/app/lib/liba.so\nro ROOT/app/lib/deps/libb.so", Overrides{}, ""},
		{"old/prog", "ro ROOT/old/prog\nro ROOT/old/lib/liba.so\nro ROOT/old/lib/libb.so", Overrides{}, ""},
		// What a program names beside its own folder is for the caller to grant.
		{"evil/prog", "ro ROOT/evil/prog", Overrides{}, brings + "looks for liba.so in ROOT/beside: give --ro ROOT/beside/liba.so if that is right"},
		{"evil/loader", "ro ROOT/evil/loader", Overrides{}, brings + "names the dynamic loader ROOT/beside/it: give --ro ROOT/beside/it if that is right"},
		{"evil/path", "ro ROOT/evil/path", Overrides{}, brings + "names the library ROOT/app/lib/liba.so: give --ro ROOT/app/lib/liba.so if that is right"},
		{"evil/nosuch", "ro ROOT/evil/nosuch", Overrides{}, brings + "names the library ROOT/app/lib/nosuch.so: give --ro ROOT/app/lib/nosuch.so if that is right"},
		{"evil/prog", "ro ROOT/beside\nro ROOT/evil/prog", Overrides{RO: grantList(root + "/beside")}, ""},
		{"evil/path", "ro ROOT/app/lib\nro ROOT/evil/path", Overrides{RO: grantList(root + "/app/lib")}, ""},
		// Links beside the program lead nowhere else, and what is a program
		// there is no library.
		{"links/prog", "ro ROOT/links/prog", Overrides{}, brings + "looks for liba.so in ROOT/links/lib: give --ro ROOT/links/lib/liba.so if that is right"},
		{"pie/prog", "ro ROOT/pie/prog", Overrides{}, ""},
		// What a grant shows is left to that grant.
		{"app/bin/prog", "ro ROOT/app", Overrides{RO: grantList(root + "/app")}, ""},
		{"app/bin/prog", "ro ROOT/app/lib\nro ROOT/app/bin/prog", Overrides{RO: grantList(root + "/app/lib")}, ""},
	} {
		spec, err := load(t, "exec", h).Spec([]string{"./" + tt.prog}, tt.o, h)
		want := tt.fault
		if want != "" {
			want = `command: "./` + tt.prog + `": ` + want + "\n"
		}
		if got := faultLines(err, root); got != want {
			t.Errorf("%s: faults: %s\nwant: %s", tt.prog, got, want)
		}
		if got := grants(spec, root); got != tt.want {
			t.Errorf("%s: view:\n%s\nwant:\n%s", tt.prog, got, tt.want)
		}
	}
}

func TestReadELF(t *testing.T) {
	root := build(t)
	o, err := readELF(root + "/app/bin/prog")
	if err != nil || o.interp == "" || len(o.needed) != 2 || o.needed[0] != "liba.so" || o.runpath != "$ORIGIN/../lib" || o.rpath != "" {
		t.Errorf("readELF(prog) = %+v, %v", o, err)
	}
	if o, err := readELF(root + "/old/prog"); err != nil || o.rpath != root+"/old/lib" || o.runpath != "" {
		t.Errorf("readELF(old) = %+v, %v", o, err)
	}
	for _, path := range []string{root + "/b.c", root, "/dev/null", root + "/nosuch"} {
		if _, err := readELF(path); err == nil {
			t.Errorf("readELF(%s) succeeded", path)
		}
	}
}

// A program is the caller's, or a stranger's: whatever it says of itself,
// reading it ends and stays small.
func FuzzReadELF(f *testing.F) {
	for _, path := range []string{"/bin/true", "/bin/sh"} {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(b[:min(len(b), 8<<10)])
		}
	}
	path := filepath.Join(f.TempDir(), "prog")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := readELF(path)
		if err == nil && (len(o.needed) > maxNeeded || len(o.interp) > maxString) {
			t.Errorf("readELF: %d libraries", len(o.needed))
		}
	})
}

// A program that names very much to look for is a fault, and soon.
func TestLibrarySearchIsBounded(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	root := tree(t, map[string]string{"x.c": "int x;", "main.c": "int main(void) { return 0; }", "many/": "", "lib/": ""})
	gcc := func(args ...string) {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("gcc %s: %v\n%s", args, err, out)
		}
	}
	folders := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("$ORIGIN/%d", i))
		}
		return "-Wl,--disable-new-dtags,-rpath," + strings.Join(list, ":")
	}
	gcc("main.c", "-o", "wide", folders(300))
	names := []string{"main.c", "-o", "deep", "-Wl,--no-as-needed", folders(60)}
	for i := range 100 {
		lib := fmt.Sprintf("lib%d.so", i)
		if i == 0 {
			gcc("-shared", "-fPIC", "-o", lib, "x.c")
		} else if err := os.Link(root+"/lib0.so", root+"/"+lib); err != nil {
			t.Fatal(err)
		}
		names = append(names, lib)
	}
	gcc(names...)
	h := Host{Dir: root}
	for _, prog := range []string{"wide", "deep"} {
		start := time.Now()
		_, err := load(t, "exec", h).Spec([]string{"./" + prog}, Overrides{}, h)
		if got := faultLines(err, root); !strings.Contains(got, "names more files and folders than any real one does") {
			t.Errorf("%s: faults: %s", prog, got)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s took %v", prog, d)
		}
	}
}

// What a program names of the caller's secrets, and where nothing was given, is not named
// to be granted: with the same words whether the host has it or not.
func TestLibrariesAreNoHintsToSecrets(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	root := tree(t, map[string]string{"job/main.c": "int main(void) { return 0; }", "me/.ssh/id_rsa": "", "me/data/x": "", "job/.env": "", "job/key.pem": "", "job/sub/lib/x": "", "job/a/": ""})
	t.Setenv("HOME", root+"/me")
	const outside, secret = ": it lies outside of what was given", ": not hinted, though a flag grants it: "
	h := Host{Dir: root + "/job/sub", Home: root + "/me"}
	for loader, want := range map[string]string{
		"/etc/shadow": outside, "/etc/none": outside, "/var/run/docker.sock": outside, "ROOT/me": outside, "ROOT/me/.ssh/id_rsa": outside, "ROOT/me/.ssh/none": outside, "ROOT/me/data/x": outside,
		"ROOT/job/sub/key.pem": secret, "ROOT/job/sub/.ssh/none": secret, "ROOT/job/sub/lib/x": ": give --ro ROOT/job/sub/lib/x if", "ROOT/job/sub/lib/none": ": give --ro ROOT/job/sub/lib/none if",
	} {
		at := strings.ReplaceAll(loader, "ROOT", root)
		cmd := exec.Command("gcc", "-o", "a/prog", "main.c", "-Wl,--dynamic-linker="+at)
		cmd.Dir = root + "/job"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("gcc: %v\n%s", err, out)
		}
		_, err := load(t, "exec", h).Spec([]string{root + "/job/a/prog"}, Overrides{}, h)
		if got := wants(err); !strings.Contains(got, strings.ReplaceAll(brings+"names the dynamic loader "+loader+want, "ROOT", root)) {
			t.Errorf("%s: %q, want %q", loader, got, want)
		}
	}
}
