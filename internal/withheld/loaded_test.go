package withheld

import (
	"os"
	"strings"
	"testing"
)

// What programs of PATH load is not to be written to either: what lies in the prefix that
// they, or what their links lead to, are installed in, and where variables say.
func TestHintsAreNotForWhatIsLoaded(t *testing.T) {
	dir := closedTree(t, "conda/bin/python3.11", "conda/lib/python3.11/os.py", "conda/etc/conda/activate.d/x.sh", "conda/share/doc/x", "conda/pkgs/x", "far/bin/tool", "far/lib/tool/index.js", "far/data/x", "me/tools/bin/",
		"me/lib/x", "me/bin/x", "pth/lib.py", "pth/out/r.csv", "pth/sub/deep/m.py", "pth/data.csv", "so/libz.so.1", "nodes/x/package.json", "one/start.py", "one/other.txt", "work/lib/x", "home/lib/x.py", "home/data/x")
	os.Symlink("../../../far/bin/tool", dir+"/me/tools/bin/tool")
	os.Symlink("so", dir+"/libs")
	t.Setenv("PATH", dir+"/conda/bin:"+dir+"/me/tools/bin:/usr/bin")
	t.Setenv("PYTHONPATH", dir+"/pth:/none:")
	t.Setenv("LD_LIBRARY_PATH", dir+"/libs")
	t.Setenv("NODE_PATH", "relative:"+dir+"/nodes")
	t.Setenv("PYTHONSTARTUP", dir+"/one/start.py")
	t.Setenv("PYTHONHOME", dir+"/home")
	h := New()
	for p, refused := range map[string]bool{
		"conda/lib/python3.11/os.py": true, "conda/lib/python3.11": true, "conda/lib": true, "conda/etc/conda": true, "conda/share/doc": true, "conda/pkgs": false, "far/lib/tool": true, "far/lib/tool/index.js": true, "far/data": false,
		"me/lib/x": false, "pth": true, "pth/lib.py": true, "pth/data.csv": false, "pth/out": false, "pth/out/r.csv": false, "pth/sub": true, "pth/sub/deep": true, "so": true, "so/libz.so.1": true, "nodes/x": true,
		"one": true, "one/start.py": true, "one/other.txt": false, "work/lib": false, "work/lib/x": false, "home": true, "home/lib": true, "home/data": false,
	} {
		f, ok := h.At(dir + "/" + p)
		if got := h.Why(f, Write); !ok || (got != "") != refused || refused && !strings.Contains(got, "programs that you run") {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
		if got := h.Why(f, Read); got != "" {
			t.Errorf("unhintable(%s) to be read = %q", p, got)
		}
	}
}

// A link in PATH leads into a package, whose other code is loaded by what is run.
func TestHintsAreNotForPackagesBehindLinks(t *testing.T) {
	dir := closedTree(t, "pk/foo/bin/c.js", "pk/foo/src/m.js", "pk/foo/data/x.csv", "pk/foo/out/", "deep/package.json", "deep/a/b/run", "deep/lib/m.js", "deep/out.csv", "flat/tool", "flat/helper.sh", "flat/x.csv", "near/helper.sh", "gem/exe/g", "gem/lib/core.rb", "gem/x.csv", "nb/")
	for link, to := range map[string]string{"c": "pk/foo/bin/c.js", "r": "deep/a/b/run", "t": "flat/tool", "g": "gem/exe/g"} {
		os.Symlink(dir+"/"+to, dir+"/nb/"+link)
	}
	t.Setenv("PATH", dir+"/nb:/usr/bin")
	h := New()
	for p, refused := range map[string]bool{
		"pk/foo/src/m.js": true, "pk/foo/src": true, "pk/foo": true, "pk": true, "pk/foo/data/x.csv": false, "pk/foo/data": false, "pk/foo/out": false, "deep/lib/m.js": true, "deep/out.csv": false,
		"flat/helper.sh": true, "flat/x.csv": false, "near/helper.sh": false, "near": false, "gem/lib/core.rb": true, "gem/x.csv": false,
	} {
		f, ok := h.At(dir + "/" + p)
		if got := h.Why(f, Write); !ok || (got != "") != refused {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
	}
}
