package profiles

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build compiles programs and libraries below a temporary folder:
//
//	app/bin/prog    needs liba.so by $ORIGIN/../lib
//	app/lib/liba.so needs libb.so by its own $ORIGIN/deps
//	old/prog        the same by DT_RPATH, which libraries inherit
//	evil/prog       looks for its libraries in secret/, where key is no library
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	root := tree(t, map[string]string{
		"b.c": "int b(void) { return 1; }", "a.c": "int b(void); int a(void) { return b(); }",
		"main.c": "int a(void); int main(void) { return a() - 1; }", "plain.c": "int main(void) { return 0; }",
		"app/bin/": "", "app/lib/deps/": "", "old/lib/": "", "secret/": "", "evil/": "", "loader/": "",
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
	gcc("-Wl,--enable-new-dtags,-rpath," + root + "/secret -o evil/prog main.c -Lapp/lib -la -Wl,-rpath-link,app/lib/deps")
	gcc("-Wl,--dynamic-linker=" + root + "/secret/key -o evil/loader plain.c")
	for name, target := range map[string]string{"secret/libb.so": "key"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"secret/key", "secret/liba.so"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLibraries(t *testing.T) {
	root := build(t)
	h := Host{Dir: root}
	for _, tt := range []struct {
		prog, want string
		o          Overrides
	}{
		{"plain", "ro ROOT/plain", Overrides{}},
		{"app/bin/prog", "ro ROOT/app/bin/prog\nro ROOT/app/lib/liba.so\nro ROOT/app/lib/deps/libb.so", Overrides{}},
		{"old/prog", "ro ROOT/old/prog\nro ROOT/old/lib/liba.so\nro ROOT/old/lib/libb.so", Overrides{}},
		// Names in a program grant libraries and nothing else.
		{"evil/prog", "ro ROOT/evil/prog", Overrides{}},
		{"evil/loader", "ro ROOT/evil/loader", Overrides{}},
		// What a grant shows is left to that grant.
		{"app/bin/prog", "ro ROOT/app", Overrides{RO: grantList(root + "/app")}},
		{"app/bin/prog", "ro ROOT/app/lib\nro ROOT/app/bin/prog", Overrides{RO: grantList(root + "/app/lib")}},
	} {
		spec, err := load(t, "exec", h).Spec([]string{"./" + tt.prog}, tt.o, h)
		if err != nil {
			t.Errorf("%s: %v", tt.prog, err)
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
