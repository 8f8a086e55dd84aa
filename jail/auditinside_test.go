package jail

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// floodedOpens is how many calls openInLoop makes.
const floodedOpens = 10_000

func openInLoop() int {
	n := 0
	for range floodedOpens {
		if _, err := unix.Open(os.Getenv("OPEN"), unix.O_RDONLY, 0); err == unix.EACCES {
			n++
		}
	}
	fmt.Println(n)
	return 0
}

// startStranger is a process of the host's that has a ruleset of its own and is
// refused a file by it, until it is asked how often.
func startStranger(t *testing.T, file string) func() int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, insidePrefix+"stranger", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the stranger said nothing")
	}
	count := make(chan int)
	go func() {
		n := 1
		for lines.Scan() {
			n++
		}
		count <- n
	}()
	return func() int {
		cancel()
		return <-count
	}
}

// beRefused is the stranger.
func beRefused() int {
	runtime.LockOSThread() // whom alone the ruleset restricts
	attr := llsys.RulesetAttr{HandledAccessFS: llsys.AccessFSReadFile}
	fd, err := llsys.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	for {
		if _, err := unix.Open(os.Args[2], unix.O_RDONLY, 0); err == unix.EACCES {
			fmt.Println("refused")
		} else if _, _, errno := syscall.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0); errno != 0 {
			return 1
		}
		time.Sleep(20 * time.Millisecond)
	}
}
