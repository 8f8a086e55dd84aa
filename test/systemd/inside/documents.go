package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// documents prints what doctor says to a user who logged in, and to root, of a host
// that is as systemd sets it up. Whoever reads the rows compares them.
func documents() {
	for _, who := range []struct {
		name string
		way  []string
	}{{"user", login(user)}, {"root", root}} {
		begun := time.Now()
		said, err := doctor(who.way)
		took := time.Since(begun).Round(time.Millisecond)
		if err != nil {
			fmt.Printf("@@ FAIL %-62s %7v  %v\n", "doctor as "+who.name, took, err)
			continue
		}
		fmt.Printf("@@ ok   %-62s %7v  %s\n", "doctor as "+who.name, took, said)
	}
}

func doctor(way []string) (string, error) {
	cmd := exec.Command(way[0], append(way[1:len(way):len(way)], "cd /tmp && exec jail doctor --json")...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	said := strings.TrimSpace(string(out))
	if !strings.HasPrefix(said, `{"schema"`) || strings.Contains(said, "\n") {
		return "", fmt.Errorf("it printed %.200q", said)
	}
	return said, nil
}
