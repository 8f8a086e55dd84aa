package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// few is jail as a user who may have only so many processes.
func few(t *testing.T, limit int, args ...string) *exec.Cmd {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, "prlimit", append([]string{"--nproc=" + strconv.Itoa(limit), "jail"}, args...)...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "HOME=/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: crowded, Gid: crowded}}
	cmd.WaitDelay = time.Second
	return cmd
}

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
				out, err := few(t, limit, "run", "--json", "--optional", "cgroup", "--pids", "300", "--timeout", "20s", "--", "/usr/bin/python3", "-c", bomb).Output()
				var record struct{ Reason, Message string }
				if json.Unmarshal(out, &record) != nil || record.Reason != want {
					t.Errorf("reason %q (%s), want %q; %v: %.300s", record.Reason, record.Message, want, err, out)
				}
			}
		})
	}
}

// Nor does a program end its supervisor that may have far fewer processes than its caller,
// who has nearly all of his already.
func TestFewProcessesLeft(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs another user")
	}
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	const limit, others, own = 240, 228, 6 // more than 32 times its own
	fill := few(t, limit, "version")
	fill.Args = []string{"prlimit", "--nproc=" + strconv.Itoa(limit), "/usr/bin/python3", "-c",
		"import os, signal, sys\nif any(os.fork() == 0 for _ in range(" + strconv.Itoa(others) + ")): signal.pause()\nprint(flush=True); sys.stdin.read()\nos.killpg(0, 9)"}
	fill.SysProcAttr.Setpgid = true
	in, err := fill.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := fill.StdoutPipe()
	if err == nil {
		err = fill.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		fill.Wait()
		for until := time.Now().Add(10 * time.Second); syscall.Kill(-fill.Process.Pid, 0) == nil && time.Now().Before(until); { // others of the user's come after
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		out, err := few(t, limit, "run", "--json", "--optional", "cgroup", "--pids", strconv.Itoa(own), "--timeout", "20s", "--", "/usr/bin/python3", "-c", bomb).Output()
		var record struct{ Reason, Message string }
		if json.Unmarshal(out, &record) != nil || record.Reason != "execution_failed" && record.Reason != "setup_refused" {
			t.Errorf("reason %q (%s), want execution_failed or a refusal; %v: %.300s", record.Reason, record.Message, err, out)
		}
	}
}

// One program does not end a server, nor the runs of others.
func TestServerOfFewProcesses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs another user")
	}
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	dir, err := os.MkdirTemp("", "jail-few-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, crowded, crowded); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "sock")
	const limit = 110
	server := few(t, limit, "serve", "--socket", socket, "--optional", "cgroup")
	var said strings.Builder
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil || time.Now().After(until) {
			break
		}
	}
	run := func(args ...string) (string, error) {
		args = append([]string{"run", "--json", "--via", socket, "--optional", "cgroup", "--pids", "300", "--timeout", "30s", "--"}, args...)
		out, err := few(t, limit, args...).Output()
		var record struct{ Reason string }
		err = errors.Join(err, json.Unmarshal(out, &record))
		return record.Reason, err
	}
	innocent := make(chan string, 1)
	go func() {
		reason, _ := run("/bin/sh", "-c", "sleep 5")
		innocent <- reason
	}()
	time.Sleep(time.Second)
	if reason, err := run("/usr/bin/python3", "-c", bomb); reason != "execution_failed" {
		t.Errorf("a program that takes all processes: reason %q (%v), want execution_failed", reason, err)
	}
	if reason := <-innocent; reason != "ok" {
		t.Errorf("beside a program that takes all processes: reason %q, want ok", reason)
	}
	server.Process.Signal(syscall.SIGTERM)
	if err := server.Wait(); err != nil {
		t.Errorf("the server: %v, want an end by SIGTERM; it said %.2000s", err, &said)
	}
}
