package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// throttled sees that the cap on processors holds.
func throttled(who []string) func() error {
	return func() error {
		r, err := jail(who, "", "--timeout 2s --cpu-time 10s", spin)
		if err != nil {
			return err
		}
		if r.Reason != "timeout" || r.Usage.ThrottledMS < 300 {
			return fmt.Errorf("%s: %s; throttled for %d ms, want 300 or more", r.Reason, r.Message, r.Usage.ThrottledMS)
		}
		return nil
	}
}

// without takes a socket away while something runs.
func without(socket string, run func() error) func() error {
	return func() error {
		if err := os.Rename(socket, socket+".away"); err != nil {
			return err
		}
		return errors.Join(run(), os.Rename(socket+".away", socket))
	}
}

// atOnce runs something many times at once.
func atOnce(n int, run func() error) func() error {
	return func() error {
		errs := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { errs[i] = run() }) // ends with its run
		}
		all.Wait()
		return errors.Join(errs...)
	}
}

// scopes are the groups of jail's scopes.
func scopes() []string {
	found, _ := filepath.Glob("/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/*/jail-*.scope")
	return found
}

// killed kills jail while its box runs: the scope must go all the same.
func killed(who []string) func() error {
	return func() error {
		line := "exec jail run " + options + " -- -c 'sleep 60'"
		cmd := exec.Command(who[0], append(who[1:len(who):len(who)], line)...)
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		return soon(func() error {
			found := scopes()
			if len(found) == 0 {
				return errors.New("no scope of jail's is there")
			}
			return kill(found[0])
		})
	}
}

// kill kills jail in a scope in which a box is running.
func kill(scope string) error {
	leaves, _ := filepath.Glob(scope + "/jail-*/cgroup.procs")
	if len(leaves) == 0 {
		return fmt.Errorf("%s has no leaf", scope)
	}
	inside, err := os.ReadFile(leaves[0])
	if err != nil || len(inside) == 0 {
		return fmt.Errorf("%s holds nothing (%w)", leaves[0], errors.Join(err, unix.EAGAIN))
	}
	text, err := os.ReadFile(scope + "/supervisor/cgroup.procs")
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%s/supervisor holds %q", scope, text)
	}
	return unix.Kill(pid, unix.SIGKILL)
}

// stopped stops the user's manager while something runs.
func stopped(run func() error) func() error {
	return func() error {
		text, err := output("systemctl", "show", "-P", "MainPID", "user@1000.service")
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || pid < 2 {
			return fmt.Errorf("the manager's pid is %q", text)
		}
		if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
			return err
		}
		err = run()
		return errors.Join(err, unix.Kill(pid, unix.SIGCONT))
	}
}

// repaired carries out the line that a user's refusal gives, as root, and runs again.
func repaired(user, id string) func() error {
	return func() error { return repair(user, id) }
}

func repair(user, id string) error {
	r, err := jail(login(user), "", "", "echo hello")
	if err != nil {
		return err
	}
	at := strings.Index(r.Hint, "mkdir -p ")
	end := strings.Index(r.Hint, "daemon-reload")
	if at < 0 || end < at {
		return fmt.Errorf("%q has no line to carry out", r.Hint)
	}
	// What takes cpu away from one of the users stands for an older systemd.
	if err := os.RemoveAll("/etc/systemd/system/user@" + id + ".service.d"); err != nil {
		return err
	}
	if _, err := output("sh", "-c", r.Hint[at:end+len("daemon-reload")]); err != nil {
		return err
	}
	again := func() error { _, err := output("systemctl", "restart", "user@"+id+".service"); return err }
	if err := soon(again); err != nil { // a manager that is on its way down makes the first one fail
		return err
	}
	time.Sleep(100 * time.Millisecond)
	return capped(login(user), "", true)()
}

// version is systemd's.
func version() (n int, err error) {
	text, err := output("systemctl", "--version")
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(text, "systemd %d", &n); err != nil {
		return 0, fmt.Errorf("%.40q: %w", text, err)
	}
	return n, nil
}
