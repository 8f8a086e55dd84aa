package jail

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
	h := NewHints().looks
	for p, refused := range map[string]bool{
		"conda/lib/python3.11/os.py": true, "conda/lib/python3.11": true, "conda/lib": true, "conda/etc/conda": true, "conda/share/doc": true, "conda/pkgs": false, "far/lib/tool": true, "far/lib/tool/index.js": true, "far/data": false,
		"me/lib/x": false, "pth": true, "pth/lib.py": true, "pth/data.csv": false, "pth/out": false, "pth/out/r.csv": false, "pth/sub": true, "pth/sub/deep": true, "so": true, "so/libz.so.1": true, "nodes/x": true,
		"one": true, "one/start.py": true, "one/other.txt": false, "work/lib": false, "work/lib/x": false, "home": true, "home/lib": true, "home/data": false,
	} {
		f, ok := h.at(dir + "/" + p)
		if got := h.unhintable(f, hintWrite); !ok || (got != "") != refused || refused && !strings.Contains(got, "programs that you run") {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
		if got := h.unhintable(f, hintRead); got != "" {
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
	h := NewHints().looks
	for p, refused := range map[string]bool{
		"pk/foo/src/m.js": true, "pk/foo/src": true, "pk/foo": true, "pk": true, "pk/foo/data/x.csv": false, "pk/foo/data": false, "pk/foo/out": false, "deep/lib/m.js": true, "deep/out.csv": false,
		"flat/helper.sh": true, "flat/x.csv": false, "near/helper.sh": false, "near": false, "gem/lib/core.rb": true, "gem/x.csv": false,
	} {
		f, ok := h.at(dir + "/" + p)
		if got := h.unhintable(f, hintWrite); !ok || (got != "") != refused {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
	}
}

// A named pipe is no more hinted to be written to than a socket, and a folder with one is
// with a word of it.
func TestHintsAreNotForWritingToPipes(t *testing.T) {
	needListener(t)
	dir := closedTree(t, "some/sub/x", "plain/x")
	if err := unix.Mkfifo(dir+"/some/sub/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir+"/some/sub/pipe", 0o666)
	for script, want := range map[string]string{
		"echo x >DIR/some/sub/pipe": "comes to whatever reads from it", "cat <DIR/some/sub/pipe": "--ro " + dir + "/some/sub/pipe allows it", "echo x >DIR/some/new": "its sub/pipe as well",
	} {
		s := shell(strings.ReplaceAll(script, "DIR", dir) + " || exit 1")
		s.View, s.Trace = append(s.View, ro(dir+"/plain", dir+"/plain")), true
		res := runBox(t, s, IO{})
		if told := res.Hint + res.Message + deniedText(res); !strings.Contains(told, want) || strings.Contains(told, "--rw "+dir+"/some/sub") {
			t.Errorf("%s: %q, want %q", script, told, want)
		}
	}
}

// deniedText is what the denials of a record say of ways out.
func deniedText(res Result) string {
	var b strings.Builder
	for _, d := range res.Denials {
		b.WriteString(d.What + ": " + d.Way() + "; ")
	}
	return b.String()
}
