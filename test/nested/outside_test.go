package nested

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startTime is how long a box may take to be there, on a host that is busy.
const startTime = 40 * time.Second

// watched runs cmd, whose box runs program until its stdin ends, and returns what
// the host's /proc says meanwhile of who the program is: its line Uid, or nothing,
// if it never ran.
func watched(t *testing.T, cmd *exec.Cmd, program []string) (uids []string, out []byte) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the command
		cmd.Wait()
		close(ended)
	}()
	late := time.After(startTime)
	for uids == nil {
		select {
		case <-ended:
			return nil, stdout.Bytes()
		case <-late:
			cmd.Process.Kill()
			<-ended
			t.Fatalf("neither a box nor a refusal: %s %s", &stdout, &stderr)
		case <-time.After(5 * time.Millisecond):
			uids = uidsOf(program)
		}
	}
	stdin.Close()
	<-ended
	return uids, stdout.Bytes()
}

// uidsOf are the real, effective, saved and file system uid of the process with
// exactly that command line.
func uidsOf(program []string) []string {
	want := strings.Join(program, "\x00") + "\x00"
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		for line := range strings.Lines(string(status)) {
			if list, ok := strings.CutPrefix(line, "Uid:"); ok {
				return strings.Fields(list)
			}
		}
	}
	return nil
}
