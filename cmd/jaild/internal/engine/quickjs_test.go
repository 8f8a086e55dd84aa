package engine

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// notToBeHad is the exit status of quickjs/build.sh where Debian has no such source.
const notToBeHad = 3

// TestQuickJSIsBuiltFromSource: what is committed is what the script makes.
func TestQuickJSIsBuiltFromSource(t *testing.T) {
	for _, tool := range []string{"clang-14", "wasm-ld-14", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			shipped.LeaveOut(t, err.Error())
		}
	}
	if _, err := os.Stat("/usr/lib/wasm32-wasi/libc.a"); err != nil {
		shipped.LeaveOut(t, "wasi-libc: "+err.Error())
	}
	dir := t.TempDir()
	out, err := exec.Command("timeout", "300s", "quickjs/build.sh", dir).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == notToBeHad:
		shipped.NotToBeHad(t, "Debian's package of QuickJS-NG's source: "+string(out))
	case err != nil:
		t.Fatalf("quickjs/build.sh: %v\n%s", err, out)
	}
	built, err := os.ReadFile(filepath.Join(dir, "quickjs.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, quickJS) {
		t.Errorf("quickjs/quickjs.wasm (%d bytes) is not what quickjs/build.sh makes (%d bytes): run it on Debian 12", len(quickJS), len(built))
	}
}
