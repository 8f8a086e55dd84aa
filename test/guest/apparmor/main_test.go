package apparmor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// parserVariable names the folder with AppArmor's parser, and says that this kernel
// is there for nothing else.
const parserVariable = "JAIL_TEST_APPARMOR"

// Where jail is installed, where a copy lies that anybody might have made, and the
// shells that are confined.
const (
	installed      = "/usr/local/bin/jail"
	elsewhere      = "/opt/elsewhere/jail"
	noUserns       = "/opt/shells/no-userns"
	noCapabilities = "/opt/shells/no-capabilities"
)

// shells are the profiles that stand for Ubuntu's sysctl. They have what they let a
// program do reach files without a path, as the image of PID 1 is. The rule pix has the
// installed jail come under a profile of its own, where there is one.
const shells = `abi <abi/4.0>,
profile no-userns ` + noUserns + ` flags=(attach_disconnected,mediate_deleted) {
  file,
  ` + installed + ` pix,
  capability,
  network,
  unix,
  signal,
  ptrace,
  mount,
  umount,
  pivot_root,
}
profile no-capabilities ` + noCapabilities + ` flags=(attach_disconnected,mediate_deleted) {
  file,
  ` + installed + ` pix,
  network,
  unix,
  signal,
  ptrace,
  mount,
  umount,
  pivot_root,
  userns,
}
`

func TestMain(m *testing.M) {
	tree := os.Getenv(parserVariable)
	if tree == "" {
		fmt.Println("apparmor: not without a guest: go run ./test/guest -hosts qemu-6.12 -suites apparmor")
		os.Exit(0)
	}
	if err := install(tree); err != nil {
		fmt.Fprintln(os.Stderr, "apparmor:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// install puts jail, its copy, the shells and a command apparmor_parser in place, and
// confines the shells.
func install(tree string) error {
	jail, err := exec.LookPath("jail")
	if err != nil {
		return err
	}
	for to, from := range map[string]string{installed: jail, elsewhere: jail, noUserns: "/bin/sh", noCapabilities: "/bin/sh"} {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o755); err != nil {
			return err
		}
	}
	loaders, _ := filepath.Glob(tree + "/usr/lib/*/ld-linux-*") // the pattern is sound
	if len(loaders) != 1 {
		return fmt.Errorf("%s has %d loaders, want one", tree, len(loaders))
	}
	base := tree + "/etc/apparmor.d"
	parser := fmt.Sprintf("#!/bin/sh\nexec %s --library-path %s %s --config-file=/dev/null --base=%s -I %s -K \"$@\"\n",
		loaders[0], filepath.Dir(loaders[0]), tree+"/usr/sbin/apparmor_parser", base, base)
	if err := os.WriteFile("/usr/local/sbin/apparmor_parser", []byte(parser), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll("/etc/apparmor.d", 0o755); err != nil {
		return err
	}
	if err := os.WriteFile("/etc/apparmor.d/shells", []byte(shells), 0o644); err != nil {
		return err
	}
	return root("apparmor_parser -r /etc/apparmor.d/shells")
}

// root has root's shell, which is not confined, run a line.
func root(line string) error {
	if out, err := exec.Command("/bin/sh", "-ec", line).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, out)
	}
	return nil
}

// An end is how a line ended.
type end struct {
	stdout, stderr string
	status         int
}

// user has a shell of an ordinary user's run a line.
func user(t *testing.T, shell string, words ...string) end {
	t.Helper()
	const id = 1000
	cmd := exec.Command(shell, "-c", strings.Join(words, " "))
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/", "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return end{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
