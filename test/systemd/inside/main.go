// The program inside is a service of the guest that test/systemd boots. It runs
// jail in every way that systemd has a part in, and prints a line for each.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	ok := true
	systemd, err := version()
	if err = errors.Join(err, prepare()); err != nil {
		fmt.Println("@@ FAIL preparation:", err)
		ok = false
	}
	if ok {
		documents()
	}
	for _, r := range append(before(systemd), rows()...) {
		if !ok {
			break
		}
		begun := time.Now()
		err := r.run()
		if err == nil {
			err = nothingLeft()
		}
		took := time.Since(begun).Round(time.Millisecond)
		if err != nil {
			fmt.Printf("@@ FAIL %-62s %7v  %s\n", r.name, took, strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Printf("@@ ok   %-62s %7v\n", r.name, took)
	}
	fmt.Println("@@ end")
	unix.Sync()
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// users are those of the rows. The first's manager lingers, the second has
// none, and the third's is handed no cpu.
const (
	user        = "anna"
	userAlone   = "bob"
	userWithout = "carl"
)

func prepare() error {
	for id, name := range map[string]string{"1000": user, "1001": userAlone, "1002": userWithout} {
		if _, err := output("useradd", "-m", "-u", id, "-s", "/bin/sh", name); err != nil {
			return err
		}
	}
	const drop = "/etc/systemd/system/user@1002.service.d"
	if err := os.MkdirAll(drop, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(drop+"/less.conf", []byte("[Service]\nDelegate=\nDelegate=memory pids\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"systemctl", "daemon-reload"}, {"loginctl", "enable-linger", user}, {"loginctl", "enable-linger", userWithout}} {
		if _, err := output(args[0], args[1:]...); err != nil {
			return err
		}
	}
	for _, id := range []string{"1000", "1002"} {
		if err := within(time.Minute, func() error { _, err := os.Stat("/run/user/" + id + "/systemd/private"); return err }); err != nil {
			return err
		}
	}
	return nil
}

// nothingLeft sees that no scope of jail's is there any more, nor a group.
func nothingLeft() error {
	return soon(func() error {
		return filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
			if err == nil && (strings.HasPrefix(d.Name(), "jail-") || d.Name() == "supervisor") {
				return fmt.Errorf("%s is left behind", path)
			}
			return nil // a group that went away meanwhile is none that was left
		})
	})
}

// soon tries until it succeeds, for five seconds.
func soon(try func() error) error { return within(5*time.Second, try) }

func within(limit time.Duration, try func() error) error {
	end := time.Now().Add(limit)
	for {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func output(name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}
