package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/test/shipped"
)

// bomb takes all processes that there are, and then gives the supervisor work.
const bomb = `import os, socket, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(4)
            os._exit(0)
except OSError:
    pass
for i in range(100):
    try:
        socket.socket(socket.AF_INET)
    except OSError:
        pass
    print("x" * 3000, flush=True)
os._exit(3)`

// crowded is a user whom nothing else belongs to.
const crowded = 54323

// There is a record whatever the caller may have of processes, down to where the Go
// runtime itself does not start, and whatever the program takes of them.
func TestFewProcesses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs another user")
	}
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	for limit, want := range map[int]string{10: "setup_refused", 32: "execution_failed", 60: "execution_failed", 250: "execution_failed"} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			for range 3 {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				cmd := exec.CommandContext(ctx, "prlimit", "--nproc="+strconv.Itoa(limit), "jail", "run", "--json", "--optional", "cgroup", "--pids", "300", "--timeout", "20s",
					"--", "/usr/bin/python3", "-c", bomb)
				cmd.Dir = "/"
				cmd.Env = append(os.Environ(), "HOME=/")
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: crowded, Gid: crowded}}
				cmd.WaitDelay = time.Second
				out, err := cmd.Output()
				var record struct{ Reason, Message string }
				if json.Unmarshal(out, &record) != nil || record.Reason != want {
					t.Errorf("reason %q (%s), want %q; %v: %.300s", record.Reason, record.Message, want, err, out)
				}
			}
		})
	}
}
