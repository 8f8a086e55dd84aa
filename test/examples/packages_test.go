package examples

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// havePackages skips the page about packages where npm reaches no registry or Python
// makes no virtual environment, and has pip install a stand-in for the one that the page
// shows: it has of it the function that the page calls.
func havePackages(t *testing.T) {
	t.Helper()
	for _, needed := range [][]string{{"timeout", "30", "npm", "ping"}, {"python3", "-c", "import ensurepip"}} {
		if out, err := exec.Command(needed[0], needed[1:]...).CombinedOutput(); err != nil {
			shipped.NotToBeHad(t, needed[len(needed)-1]+": "+err.Error()+": "+string(out))
		}
	}
	dir := t.TempDir()
	wheel, err := os.Create(filepath.Join(dir, "humanize-4.0-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer wheel.Close()
	archive := zip.NewWriter(wheel)
	for _, f := range []struct{ name, text string }{
		{"humanize.py", "def naturalsize(n):\n    return '%.1f MB' % (n / 1e6)\n"},
		{"humanize-4.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: humanize\nVersion: 4.0\n"},
		{"humanize-4.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"humanize-4.0.dist-info/RECORD", "humanize.py,,\nhumanize-4.0.dist-info/METADATA,,\nhumanize-4.0.dist-info/WHEEL,,\nhumanize-4.0.dist-info/RECORD,,\n"},
	} {
		w, err := archive.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", dir)
}
