package profiles

import (
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// Overrides is what the command line says on top of a profile. The zero value
// changes nothing.
type Overrides struct {
	// Limits replaces the profile's limits field by field; zero keeps one.
	Limits jail.Limits
	// OutputMode replaces the profile's; empty keeps it.
	OutputMode jail.OutputMode
	// Tier is the box's; zero is the first.
	Tier jail.Tier
	// RO and RW are trees or files of the host for the box to see or to
	// change; Tmpfs are empty folders in memory.
	RO, RW []Grant
	Tmpfs  []Tmpfs
	// Workspace is one more writable grant, at its own path, in which the
	// program starts.
	Workspace string
	// OwnInterpreter lets the interpreter be one that lies in a writable grant, and
	// has Python's looked for in the workspace's .venv first. That is for running a
	// project's own programs. Without it nothing that the box may change decides what
	// interprets, as who evaluates sources and believes the answers needs it: an
	// earlier evaluation could have put one there, or a file that chooses another.
	OwnInterpreter bool
	// Cwd is where the program starts instead. A relative one is taken from
	// the workspace, else from the caller's working directory.
	Cwd string
	// Env is "KEY=VALUE" each; PassEnv names variables of the caller to copy,
	// which must be set there.
	Env, PassEnv []string
	// Net replaces the profile's network mode; empty keeps it.
	Net jail.Net
	// Optional and Require are added to the profile's.
	Optional []jail.LayerName
	Require  []string
	// Allow and Deny are system calls, added to the profile's.
	Allow, Deny []string
	// Name labels the run; CgroupParent says where its cgroup goes.
	Name, CgroupParent string
}

// A Grant is a file or folder of the host and where the box sees it.
type Grant struct {
	// Host is absolute, or relative to the caller's working directory.
	Host string
	// Box is an absolute path; empty means the same path as on the host.
	Box string
}

// A Tmpfs is an empty folder in memory; Size zero means the size of /tmp.
type Tmpfs struct {
	Box  string
	Size int64
}

// ParseGrant reads HOST or HOST:BOX. BOX is absolute, so the last ":/" divides
// the two; a HOST with ":/" in its name can't be granted this way.
func ParseGrant(s string) (Grant, error) {
	host, box := s, ""
	if i := strings.LastIndex(s, ":/"); i >= 0 {
		host, box = s[:i], s[i+1:]
	}
	if host == "" || strings.HasSuffix(host, ":") {
		return Grant{}, &valueError{s, wantGrant}
	}
	return Grant{Host: host, Box: box}, nil
}

// ParseTmpfs reads BOX or BOX:SIZE.
func ParseTmpfs(s string) (Tmpfs, error) {
	box, size, ok := strings.Cut(s, ":")
	if !filepath.IsAbs(box) {
		return Tmpfs{}, &valueError{s, wantTmpfs}
	}
	if !ok {
		return Tmpfs{Box: box}, nil
	}
	n, err := ParseSize(size)
	if err != nil {
		return Tmpfs{}, &valueError{s, wantTmpfs + "; SIZE is " + wantSize + "; " + jail.LimitRange("limits.tmp_size")}
	}
	return Tmpfs{Box: box, Size: n}, nil
}

const (
	wantGrant = "HOST or HOST:BOX, where HOST is a file or folder and BOX an absolute path in the box"
	wantTmpfs = "BOX or BOX:SIZE, where BOX is an absolute path in the box"
)
