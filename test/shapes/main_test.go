package shapes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// enterRole is the first argument of this test's own program when it is to
// enter a tree: enterRole TREE UID PROGRAM ARG….
const enterRole = "role:enter"

func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == enterRole {
		fmt.Fprintln(os.Stderr, enter(os.Args[2], os.Args[3], os.Args[4:]))
		os.Exit(120)
	}
	os.Exit(m.Run())
}

// enter makes tree the root of a mount namespace, which clone has made, and
// becomes the program in it.
func enter(tree, uid string, argv []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{tree, "", "", unix.MS_BIND},
		{"proc", "proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"/sys", "sys", "", unix.MS_BIND | unix.MS_REC}, // with the control groups
		{"/dev", "dev", "", unix.MS_BIND | unix.MS_REC},
	} {
		if err := unix.Mount(m.source, filepath.Join(tree, m.target), m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.source, err)
		}
	}
	if err := unix.Chdir(tree); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("detach the old root: %w", err)
	}
	if err := unix.Chdir("/home/anna"); err != nil {
		return err
	}
	id, err := strconv.Atoi(uid)
	if err != nil {
		return err
	}
	if id != 0 {
		if err := become(id); err != nil {
			return err
		}
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return unix.Exec(program, argv, os.Environ())
}

func become(id int) error {
	if err := unix.Setgroups(nil); err != nil {
		return err
	}
	if err := unix.Setresgid(id, id, id); err != nil {
		return err
	}
	return unix.Setresuid(id, id, id)
}
