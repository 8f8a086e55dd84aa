package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// peerNames are what -peer may name.
func peerNames() (names []string) {
	for _, l := range launchers() {
		name, _, _ := strings.Cut(l.name, " + ")
		if l.program != "" && l.program != "jail" && l.program != "floor" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// remedy says how to have the launcher in the tables.
func (l *launcher) remedy() string {
	name, _, _ := strings.Cut(l.name, " + ")
	switch {
	case l.program == "floor":
		return "is compiled by gcc: -install, or apt-get install gcc"
	case l.debian != "":
		return "-install, or apt-get install " + l.debian
	}
	return "no package of this distribution has it: build it, and give -peer " + name + "=PATH"
}

// install installs what there are packages of. Nothing else of this program
// changes the machine.
func install() error {
	packages := []string{"gcc", "libc6-dev"}
	for _, l := range launchers() {
		if l.debian != "" && !slices.Contains(packages, l.debian) {
			packages = append(packages, l.debian)
		}
	}
	apt := exec.Command("apt-get", append([]string{"install", "-y", "--no-install-recommends"}, packages...)...)
	apt.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	apt.Stdout, apt.Stderr = os.Stderr, os.Stderr
	if err := apt.Run(); err != nil {
		return fmt.Errorf("bench: -install: %s: %w (as root, on Debian and its kin; `apt-get update` first)", apt, err)
	}
	return nil
}

// peers is the value of -peer: name=path, and may be given more than once.
type peers map[string]string

func (p peers) String() string { return "" }

func (p peers) Set(value string) error {
	name, path, found := strings.Cut(value, "=")
	if !found || !slices.Contains(peerNames(), name) {
		return fmt.Errorf("want NAME=PATH, NAME one of %s", strings.Join(peerNames(), ", "))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not an executable file", path)
	}
	p[name] = path
	return nil
}
