package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages are what the guest has beside Debian's minimum.
const packages = "systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd"

// makeTree makes the guest's root, unless it is there.
func makeTree(ctx context.Context, release, tree string) error {
	if _, err := os.Stat(tree); err == nil {
		return nil
	}
	mirror, err := mirror(ctx)
	if err != nil {
		return err
	}
	part := tree + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := command(ctx, "debootstrap", "--variant=minbase", "--include="+packages, release, part, mirror); err != nil {
		return fmt.Errorf("%w (is debootstrap installed?)", err)
	}
	return os.Rename(part, tree)
}

// mirror is where this machine gets Debian from.
func mirror(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").Output()
	if err != nil {
		return "", fmt.Errorf("apt-get indextargets: %w", err)
	}
	for _, uri := range strings.Fields(string(out)) {
		if strings.HasSuffix(strings.TrimSuffix(uri, "/"), "/debian") {
			return uri, nil
		}
	}
	return "", fmt.Errorf("no source of packages in /etc/apt ends in /debian")
}

// unit is the service that the rows are run by.
const unit = `[Unit]
After=multi-user.target systemd-logind.service
[Service]
ExecStart=/opt/inside
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
`

// fill makes the folder of what the guest has beside its root: jail, the rows,
// and their service.
func fill(ctx context.Context, work string) error {
	root, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	for name, pkg := range map[string]string{"usr/local/bin/jail": "./cmd/jail", "opt/inside": "./test/systemd/inside"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-E jail_entry", "-o", filepath.Join(work, "upper", name), pkg)
		if pkg != "./cmd/jail" {
			cmd.Args[3] = "-ldflags=-s"
		}
		cmd.Dir, cmd.Env = strings.TrimSpace(string(root)), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	for name, text := range map[string]string{
		"etc/systemd/system/rows.service": unit,
		"etc/hostname":                    "guest\n",
		"etc/machine-id":                  "",
		"etc/fstab":                       "",
	} {
		path := filepath.Join(work, "upper", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	wants := filepath.Join(work, "upper/etc/systemd/system/multi-user.target.wants")
	if err := os.MkdirAll(wants, 0o755); err != nil {
		return err
	}
	return os.Symlink("../rows.service", filepath.Join(wants, "rows.service"))
}

func command(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out[max(0, len(out)-2048):])
	}
	return nil
}
