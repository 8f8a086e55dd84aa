package wasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/shipped"
)

// The command, its companion, and the probe as a module and for this machine.
var jailPath, jaildPath, probe, native string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-wasm-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755)
	jailPath, jaildPath = filepath.Join(dir, "jail"), filepath.Join(dir, "jaild")
	probe, native = filepath.Join(dir, "probe.wasm"), filepath.Join(dir, "probe")
	if err := errors.Join(shipped.Build(jailPath), shipped.BuildCompanion(jailPath),
		build(probe, "GOOS=wasip1", "GOARCH=wasm"), build(native)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func build(file string, env ...string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./probe")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", file, err, out)
	}
	return nil
}

// start runs jail, and reads its record.
func start(t *testing.T, stdin string, args ...string) jail.Result {
	t.Helper()
	cmd := exec.Command("timeout", append([]string{"120s", jailPath}, args...)...)
	cmd.Stdin = bytes.NewReader([]byte(stdin))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	var res jail.Result
	if err := json.Unmarshal(out, &res); err != nil {
		t.Fatalf("jail %.300q: %v: %.500s %.500s", args, err, out, stderr.Bytes())
	}
	return res
}

// runs runs a module in a box. flags stand before the module, args behind.
func runs(t *testing.T, m module, flags ...string) jail.Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(file, m.bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return start(t, "", append(append([]string{"run", "--json", "--profile", "wasm"}, flags...), file)...)
}

// found is what the probe says.
type found struct {
	Args, Env []string
	Dir       string
	Did       map[string]string
}

func reads(t *testing.T, res jail.Result) found {
	t.Helper()
	var f found
	if err := json.Unmarshal([]byte(res.Stdout.Text), &f); err != nil {
		t.Fatalf("reason %s: %s; stdout %.500q, stderr %.500q", res.Reason, res.Message, res.Stdout.Text, res.Stderr.Text)
	}
	return f
}

// folder is a folder that every user may go into, with files in it. It does not lie below
// /tmp, of which every box has its own.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "jail-wasm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
