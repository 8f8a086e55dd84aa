package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryIDMap asks for a mount of the working directory whose owners are those of
// another user namespace. That is how a box that root starts gets its writable
// grants, so that what is written there belongs to the caller. Whether it works
// depends on the filesystem (mount_setattr(2), "ID-mapped mounts").
func tryIDMap(context.Context) outcome {
	dir, err := os.Getwd()
	if err != nil {
		return outcome{answer: Unknown, evidence: err.Error()}
	}
	userns, release, err := otherUserNamespace()
	if err != nil {
		o := outcome{answer: Unknown, evidence: err.Error()}
		errors.As(err, &o.errno)
		return o
	}
	defer release()
	tree, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return mountFailed("open_tree", dir, err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(userns.Fd())}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return mountFailed("mount_setattr", dir, err)
	}
	return outcome{answer: Yes, evidence: fmt.Sprintf("%q can be mounted with its owners mapped", dir)}
}

func mountFailed(call, dir string, err error) outcome {
	o := outcome{answer: No, evidence: fmt.Sprintf("%s %q: %v", call, dir, err)}
	errors.As(err, &o.errno)
	return o
}

// otherUserNamespace is a user namespace in which one id is mapped. It exists
// until release is called.
func otherUserNamespace() (ns *os.File, release func(), err error) {
	const unusedID = 0x70000000
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: unusedID, Size: 1}}
	self, err := os.Executable()
	if err == nil {
		var p *os.Process
		p, err = os.StartProcess(self, []string{"jail", "doctor", probeFlag, "wait"}, &os.ProcAttr{
			Files: []*os.File{r, nil, nil}, Env: []string{}, Dir: "/",
			Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, Pdeathsig: syscall.SIGKILL},
		})
		if err == nil {
			release = func() { w.Close(); p.Wait() }
			ns, err = os.Open(fmt.Sprintf("/proc/%d/ns/user", p.Pid))
		}
	}
	r.Close()
	if err != nil {
		if release != nil {
			release()
		} else {
			w.Close()
		}
		return nil, nil, fmt.Errorf("a user namespace to map owners with: %w", err)
	}
	end := release
	return ns, func() { ns.Close(); end() }, nil
}

// probeWait keeps its user namespace alive until stdin is closed.
func probeWait() (string, error) {
	_, err := io.Copy(io.Discard, os.Stdin)
	return "waited", err
}
