package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/seccomp"
)

// object is one of the configuration's objects.
type object map[string]any

// ociCommand runs a job by a runtime of the Open Container Initiative: `run`
// creates, starts, waits and deletes. A bundle is made for each job before.
func ociCommand(runtime string) func(*bench, string, job) (command, error) {
	return func(b *bench, path string, j job) (command, error) {
		bundle, err := b.bundle(runtime, j)
		if err != nil {
			return command{}, err
		}
		argv := []string{path, "--root", filepath.Join(b.dir, "state-"+runtime)}
		if runtime == "runsc" {
			argv = append(argv, "--network=none", "--ignore-cgroups")
		}
		return command{argv: append(argv, "run", "--bundle", bundle, idWord)}, nil
	}
}

// hybrid is where version 2 of control groups is mounted on a host that has
// version 1's controllers.
const hybrid = "/sys/fs/cgroup/unified"

// prepareCrun: crun refuses such hosts, whatever it is asked for. It is started
// where that mount is not to be seen.
func prepareCrun(b *bench, l *launcher) error {
	if err := needRoot(b, l); err != nil {
		return err
	}
	var fs unix.Statfs_t
	if unix.Statfs(hybrid, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil
	}
	in, err := newPlace(func() error { return unix.Unmount(hybrid, unix.MNT_DETACH) })
	if err != nil {
		return fmt.Errorf("a mount namespace without %s: %w", hybrid, err)
	}
	l.in, l.inNote = in, "in a mount namespace without "+hybrid+", with which crun refuses to start"
	b.undo = append(b.undo, in.close)
	return nil
}

// makeRootfs makes an empty root to mount into, with a place for what is shown:
// the runtimes' own users can't make one there.
func makeRootfs(root string, show []string) error {
	for _, name := range []string{"usr", "proc", "dev", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range systemFolders() {
		if target, err := os.Readlink(name); err == nil {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				return err
			}
		}
	}
	for _, p := range show {
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		at := filepath.Join(root, p)
		if info.IsDir() {
			err = os.MkdirAll(at, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			err = os.WriteFile(at, nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) bundle(runtime string, j job) (string, error) {
	b.bundles++
	dir := filepath.Join(b.dir, fmt.Sprintf("%s-%d", runtime, b.bundles))
	if err := makeRootfs(filepath.Join(dir, "rootfs"), j.show); err != nil {
		return "", err
	}
	text, err := json.Marshal(b.configuration(runtime, j))
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "config.json"), text, 0o644)
}

// configuration is a container as jail's box is: no capabilities, every
// namespace, the default limits. The uids are mapped elsewhere, since the
// runtimes want a whole range of them.
func (b *bench) configuration(runtime string, j job) object {
	none := []string{}
	ids := []object{{"containerID": 0, "hostID": 100_000, "size": 65_536}}
	linux := object{"uidMappings": ids, "gidMappings": ids,
		"namespaces": []object{{"type": "user"}, {"type": "mount"}, {"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"}, {"type": "cgroup"}},
		"resources": object{"memory": object{"limit": memoryBytes}, "pids": object{"limit": processes},
			"cpu": object{"quota": 100_000, "period": 100_000}},
		"maskedPaths":   []string{"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list"},
		"readonlyPaths": []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}}
	c := object{"ociVersion": "1.0.2", "hostname": "jail", "root": object{"path": "rootfs", "readonly": true}, "linux": linux, "mounts": ociMounts(j.show),
		"process": object{"terminal": false, "user": object{"uid": 1000, "gid": 1000}, "args": j.argv, "env": []string{"PATH=/usr/bin:/bin"}, "cwd": "/tmp", "noNewPrivileges": true,
			"capabilities": object{"bounding": none, "effective": none, "inheritable": none, "permitted": none, "ambient": none},
			"rlimits":      []object{{"type": "RLIMIT_NOFILE", "hard": openFiles, "soft": openFiles}}}}
	switch runtime {
	case "crun":
		c["annotations"] = object{"run.oci.seccomp_bpf_data": base64.StdEncoding.EncodeToString(b.program)}
	case "runc":
		var names []string
		for _, nr := range b.allowed {
			if name := seccomp.Name(nr); name != "" {
				names = append(names, name)
			}
		}
		linux["seccomp"] = object{"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 38,
			"syscalls": []object{{"names": names, "action": "SCMP_ACT_ALLOW"}}}
	}
	return c
}

func ociMounts(show []string) []object {
	mounts := []object{
		{"destination": "/proc", "type": "proc", "source": "proc", "options": []string{"nosuid", "noexec", "nodev"}},
		{"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "mode=755", "size=64k"}},
		{"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": []string{"nosuid", "noexec", "nodev", "mode=1777", "size=64m"}},
		{"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "nodev", "mode=1777", "size=64m"}},
	}
	for _, p := range append([]string{"/usr"}, show...) {
		mounts = append(mounts, object{"destination": p, "type": "bind", "source": p, "options": []string{"bind", "ro", "nosuid", "nodev"}})
	}
	return mounts
}
