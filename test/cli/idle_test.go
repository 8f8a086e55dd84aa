package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A supervisor that waits for long does without most of the memory that it started
// with, and works as before afterwards.
func TestIdleGivesMemoryBack(t *testing.T) {
	cmd := exec.Command("jail", "run", "--stdin", "-", "--", "/bin/sh", "-c", "read end; echo $end")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	peak, files := 0, 0
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(status)) {
			fmt.Sscanf(line, "VmHWM: %d kB", &peak)
			fmt.Sscanf(line, "RssFile: %d kB", &files)
		}
		if files < peak/2 {
			break
		}
	}
	t.Logf("%d KiB at most, %d KiB of files at last", peak, files)
	if files >= peak/2 {
		t.Errorf("%d of at most %d KiB are still mapped from files, want less than half", files, peak)
	}
	fmt.Fprintln(in, "now")
	in.Close()
	if err := cmd.Wait(); err != nil || out.String() != "now\n" {
		t.Errorf("%q, %v, want now", out.String(), err)
	}
}
