package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestOtherClients drives `jail mcp` with clients that somebody else wrote: the two
// generations of the TypeScript library, by the same program.
func TestOtherClients(t *testing.T) {
	dir := npm(t)
	program, err := os.ReadFile("testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	// Where its imports are found.
	path := filepath.Join(dir, "client.mjs")
	if err := os.WriteFile(path, program, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, library := range []string{"sdk", "client"} {
		t.Run(library, func(t *testing.T) {
			left := base(t)
			node := exec.Command("timeout", "300s", "node", path, library)
			node.Stderr = os.Stderr
			out, err := node.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var got struct {
				Tools                            []string
				Value                            int
				Thrown, Timeout, Refused, Marked string
				Long                             int
				Progress                         int
				CanceledAfterMS                  int
				Alive                            bool
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if len(got.Tools) != 3 || got.Value != 42 || got.Thrown != "execution_failed" || got.Timeout != "timeout" || got.Refused != "invalid_arguments" {
				t.Errorf("%s", out)
			}
			if got.Long != 100_000 || got.Progress < 2 || got.CanceledAfterMS > 30_000 || got.Alive || got.Marked != "ok" {
				t.Errorf("%s", out)
			}
			for end := time.Now().Add(time.Minute); len(workspaces(t, left)) > 0; time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the workspace is left behind")
				}
			}
		})
	}
}
