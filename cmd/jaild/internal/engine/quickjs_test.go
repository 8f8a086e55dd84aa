package engine

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// TestQuickJSIsThePackages: what is committed is what the npm registry has, by the
// checksum in the script that fetched it.
func TestQuickJSIsThePackages(t *testing.T) {
	dir := t.TempDir()
	fetch := exec.Command("timeout", "120s", "quickjs/fetch.sh", dir)
	if out, err := fetch.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("sha512sum")) {
			t.Fatalf("the registry has another package: %s", out)
		}
		shipped.NotToBeHad(t, "npm: "+string(out))
	}
	for _, name := range []string{"quickjs.wasm", "LICENSE.wrapper"} {
		fetched, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join("quickjs", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fetched, committed) {
			t.Errorf("quickjs/%s (%d bytes) is not the package's (%d bytes)", name, len(committed), len(fetched))
		}
	}
}
