package jail

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// printKeyring is an ordinary user's run of a program that describes its session keyring.
func printKeyring() int {
	exe, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s := shell("")
	s.Args = []string{"/test", insidePrefix + "describeKeyring"}
	s.View = append(s.View, Mount{Kind: MountRO, Source: exe, Target: "/test"})
	s.Seccomp.Allow = []string{"keyctl"}
	s.Optional = append(s.Optional, LayerCgroup)
	res, err := Run(context.Background(), s)
	fmt.Print(res.Stdout.Text, res.Stderr.Text, res.Message, err)
	return 0
}

func describeKeyring() int {
	text, err := unix.KeyctlString(unix.KEYCTL_DESCRIBE, unix.KEY_SPEC_SESSION_KEYRING)
	fmt.Println(text, err)
	return 0
}

// Boxes find their user's keyring by its name. Another user's of that name, which everybody
// may search, is not theirs: what they leave in it would be his to read.
func TestKeyringOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this takes two users")
	}
	planted, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends as the user that it became
		planted <- plantKeyring(nobody + 1)
		<-done
		// Nobody finds one that has been revoked: the first thread does not end.
		_, err := unix.KeyctlInt(unix.KEYCTL_REVOKE, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0)
		planted <- err
	}()
	defer func() {
		close(done)
		if err := <-planted; err != nil {
			t.Errorf("what was planted stays: %v", err)
		}
	}()
	if err := <-planted; err != nil {
		leaveOut(t, "no keyring can be planted here: "+err.Error())
	}
	cmd := exec.Command(testCopy(t), insidePrefix+"printKeyring")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody + 2, Gid: nobody + 2}}
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("keyring;%d;", nobody+2); err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v: %s\nwant the user's own keyring, %s", err, out, want)
	}
}

// plantKeyring makes this thread that user's, with a session keyring of the boxes' name
// that everybody may look at, search and write to.
func plantKeyring(uid int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
		return errno
	}
	ring, err := unix.KeyctlJoinSessionKeyring("jail")
	if err != nil {
		return err
	}
	const toOwner, toOthers = 0x3f3f0000, 0x1f
	return unix.KeyctlSetperm(ring, toOwner|toOthers)
}
