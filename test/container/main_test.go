package container

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// The test binary is the container's first process as well.
const containerName = "container"

func TestMain(m *testing.M) {
	if name := os.Getenv(memberVariable); name != "" && os.Args[0] != containerName {
		os.Exit(runAs(name, os.Args[1:]))
	}
	if os.Args[0] == containerName {
		fmt.Fprintln(os.Stderr, "container:", containerMain(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]))
		os.Exit(1)
	}
	os.Exit(run(m))
}

// site is the folder with jail and what it is to run. It is set once, before the
// first test.
var site string

// run builds jail as it is shipped.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("/var/tmp", "jail-container-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		site = dir
		err = build(filepath.Join(dir, "jail"))
	}
	for name, text := range scripts {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "container:", err)
		return 1
	}
	return m.Run()
}

// A member is who runs in the container.
type member struct {
	name, uid, caps string
	filter          string // the engine's, or unfiltered
}

var members = []member{{"root", "0", "engine", ""}, {"user", "1000", "none", ""}}

// command is one that is the first process of a container.
func (who member) command(args []string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{containerName, who.uid, who.caps, who.filter}, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SECRET=of-the-caller"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP}
	return cmd
}

// memberVariable has the test binary run a command as that member instead of tests.
const memberVariable = "JAIL_TEST_MEMBER"

func runAs(name string, args []string) int {
	for _, who := range members {
		if who.name != name {
			continue
		}
		cmd := who.command(args)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); cmd.ProcessState == nil {
			fmt.Fprintln(os.Stderr, "container:", err)
			return 1
		}
		return cmd.ProcessState.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "container: %s=%q: is no member\n", memberVariable, name)
	return 1
}

// builtVariable names a folder in which jail is built already: guests are slow.
const builtVariable = "JAIL_TEST_BUILT"

func build(file string) error {
	dir := os.Getenv(builtVariable)
	if dir == "" {
		return shipped.Build(file)
	}
	text, err := os.ReadFile(filepath.Join(dir, "jail"))
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o755)
}

// An end is how a command in the container ended.
type end struct {
	stdout, stderr string
	status         int
}

// in runs a command in a container, of which it is the first process.
func in(t *testing.T, who member, args ...string) end {
	t.Helper()
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "only root can build a container without a user namespace")
	}
	cmd := who.command(args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(8*time.Minute, func() { cmd.Process.Kill() })
	defer tooLong.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return end{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// record runs jail in a container and returns its record.
func record(t *testing.T, who member, args ...string) jail.Result {
	t.Helper()
	e := in(t, who, append([]string{filepath.Join(site, "jail"), "run", "--json"}, args...)...)
	var r jail.Result
	if err := json.Unmarshal([]byte(e.stdout), &r); err != nil {
		t.Fatalf("%v: %+v", err, e)
	}
	return r
}

func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
