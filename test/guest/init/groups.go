package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

// groups is the control groups of a guest.
type groups struct {
	root        string // where version 2 is mounted, or ""
	controllers string // of version 2, at its root
}

const groupRoot = "/sys/fs/cgroup"

// mountGroups mounts control groups as one of systemd's layouts.
func mountGroups(l order.Layout) (groups, error) {
	switch l {
	case order.None:
		return groups{}, nil
	case order.V2, order.Undelegated:
		return mountV2(groupRoot)
	}
	if err := (mount{"tmpfs", groupRoot, "tmpfs", safe, "mode=0755"}).do(); err != nil {
		return groups{}, err
	}
	for _, c := range []string{"cpu,cpuacct", "cpuset", "memory", "pids", "freezer", "devices", "blkio"} {
		// A kernel may have left version 1 of a controller out.
		at := filepath.Join(groupRoot, c)
		if err := (mount{"cgroup", at, "cgroup", safe, c}).do(); err != nil {
			os.Remove(at)
		}
	}
	for _, name := range []string{"cpu", "cpuacct"} {
		if err := os.Symlink("cpu,cpuacct", filepath.Join(groupRoot, name)); err != nil {
			return groups{}, err
		}
	}
	if l == order.V1 {
		return groups{}, nil
	}
	return mountV2(filepath.Join(groupRoot, "unified"))
}

// mountV2 mounts version 2 with the controllers handed down to the groups
// below its root, as systemd does at boot.
func mountV2(at string) (groups, error) {
	if err := (mount{"cgroup2", at, "cgroup2", safe, "nsdelegate"}).do(); err != nil {
		return groups{}, err
	}
	list, err := os.ReadFile(filepath.Join(at, "cgroup.controllers"))
	if err != nil {
		return groups{}, err
	}
	g := groups{root: at, controllers: strings.TrimSpace(string(list))}
	for _, c := range strings.Fields(g.controllers) {
		switch c {
		case "cpu", "cpuset", "io", "memory", "pids":
			if err := os.WriteFile(filepath.Join(at, "cgroup.subtree_control"), []byte("+"+c), 0); err != nil {
				return g, fmt.Errorf("hand %s down: %w", c, err)
			}
		}
	}
	return g, nil
}

// sharedLeaf is the group below the delegated one in which processes are, since
// a group that hands controllers down holds none itself (cgroup-v2.rst, "No
// Internal Process Constraint"). It is named as in systemd's examples for
// DelegateSubgroup.
const sharedLeaf = "supervisor"

// place makes the group that a job begins in, and opens it: a leaf of a subtree
// that is the caller's to manage. It is nil where there is no version 2.
func (g groups) place(o order.Order, job order.Job) (*os.File, error) {
	if g.root == "" {
		return nil, nil
	}
	path := filepath.Join(g.root, "delegated")
	if job.Alone {
		path = filepath.Join(g.root, "alone-"+job.Name)
	}
	owned := []string{path}
	if !job.Alone {
		owned = append(owned, filepath.Join(path, sharedLeaf))
	}
	for _, dir := range owned {
		if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
			return nil, err
		}
		if !o.User || o.Layout == order.Undelegated {
			continue
		}
		if err := delegate(dir); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(owned[len(owned)-1], os.O_RDONLY|unix.O_DIRECTORY, 0)
}

// delegate gives a group to the ordinary user: the folder, and the files that
// the kernel names (cgroup-v2.rst, "Model of Delegation").
func delegate(dir string) error {
	list, err := os.ReadFile("/sys/kernel/cgroup/delegate")
	if err != nil {
		return err
	}
	if err := os.Chown(dir, order.UserID, order.UserID); err != nil {
		return err
	}
	for _, file := range strings.Fields(string(list)) {
		err := os.Chown(filepath.Join(dir, file), order.UserID, order.UserID)
		if err != nil && !os.IsNotExist(err) { // such as of a controller that is absent
			return err
		}
	}
	return nil
}
