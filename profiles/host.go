package profiles

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/jail"
)

// A Host is what the caller's surroundings say, as plain data. Nothing in this
// package reads the process's own environment or working directory except
// [CurrentHost].
type Host struct {
	// Path is the caller's PATH, in which interpreters are looked up.
	Path string
	// Home is the caller's home folder, ConfigHome the folder below which
	// jail/profiles holds the user's own profiles. Either may be empty.
	Home, ConfigHome string
	// Dir is the caller's working directory. It is empty when that is gone;
	// relative paths are faults then.
	Dir string
	// Env is the caller's environment as "KEY=VALUE". Only --pass-env and the
	// version managers' own variables are read from it.
	Env []string
	// Executable is the program that runs, beside which jail's own companion is looked
	// for, or "".
	Executable string
	// Places are what is known of the host's mounts, for one Spec. Nil has them looked up.
	Places *jail.Places
	// Root says that the caller is root, whose boxes run as somebody else.
	Root bool

	passwd string // the user database, if not /etc/passwd
}

// CurrentHost describes this process's own surroundings.
func CurrentHost() Host {
	h := Host{
		Path:       os.Getenv("PATH"),
		Home:       os.Getenv("HOME"),
		ConfigHome: os.Getenv("XDG_CONFIG_HOME"),
		Env:        os.Environ(),
		Root:       os.Geteuid() == 0,
	}
	if !filepath.IsAbs(h.Home) {
		h.Home = ""
	}
	// The XDG base directory specification has relative values ignored.
	if !filepath.IsAbs(h.ConfigHome) {
		h.ConfigHome = ""
		if h.Home != "" {
			h.ConfigHome = filepath.Join(h.Home, ".config")
		}
	}
	h.Executable, _ = os.Executable()
	// Not os.Getwd, which believes PWD: a path with links that the caller did
	// not name.
	if dir, err := syscall.Getwd(); err == nil && filepath.IsAbs(dir) {
		h.Dir = dir
	}
	return h
}

// errNoDir is what is accepted where there is no working directory.
var errNoDir = errors.New("an absolute path, because the working directory is gone")

// lookup is the value of a variable of the caller, and whether it is set. The
// first of several wins, as in getenv(3).
func (h Host) lookup(key string) (string, bool) {
	for _, kv := range h.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v, true
		}
	}
	return "", false
}

// abs makes p absolute against the caller's working directory without cleaning
// it: "link/.." is for the kernel to understand. False when p is relative and
// the working directory is gone, or when p is empty.
func (h Host) abs(p string) (string, bool) {
	switch {
	case p == "":
		return "", false
	case filepath.IsAbs(p):
		return p, true
	case h.Dir == "":
		return "", false
	}
	return h.Dir + "/" + p, true
}

// MakeProfileDir makes the folder of the user's own profiles, for him alone, if a file is
// to lie right in it.
func (h Host) MakeProfileDir(file string) error {
	at, ok := h.abs(file)
	if !ok || h.profileDir() == "" || filepath.Dir(filepath.Clean(at)) != h.profileDir() {
		return nil
	}
	return os.MkdirAll(h.profileDir(), 0o700)
}

// profileDir is the folder of the user's own profiles, or "".
func (h Host) profileDir() string {
	if h.ConfigHome == "" {
		return ""
	}
	return filepath.Join(h.ConfigHome, "jail", "profiles")
}
