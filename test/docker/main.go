// The program docker runs jail in containers of Docker itself, with its default filter,
// capabilities and masked files, as root and as an ordinary user:
//
//	go run ./test/docker
//
// Docker is Debian's package, fetched when it is first needed, kept below the user's cache
// folder, and started in a mount namespace of its own, with all that it keeps in a
// temporary folder; nothing is installed. An image it needs none for: the container's tree
// is made here, with the machine's /usr in it, read-only. It has no network.
//
// It is run as root, and needs go, apt-get, dpkg-deb and Debian's package sources.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	dir := flag.String("dir", "", "the folder to work in, in a mount namespace that was made for it (of this program's own use)")
	asTests := flag.Bool("tests", false, "print the rows as go test -v prints tests, for test2json")
	flag.Parse()
	if err := run(*dir, *asTests); err != nil {
		fmt.Fprintln(os.Stderr, "docker:", err)
		os.Exit(1)
	}
}

func run(dir string, asTests bool) error {
	if dir != "" {
		return inNamespace(dir, asTests)
	}
	packages, err := fetched()
	if err != nil {
		return err
	}
	if dir, err = os.MkdirTemp("/var/tmp", "jail-docker-"); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(packages, filepath.Join(dir, "packages")); err != nil {
		return err
	}
	if err := command("go", "build", "-trimpath", "-ldflags=-E jail_entry", "-o", dir+"/jail", "./cmd/jail"); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return command("unshare", "--mount", "--propagation", "private", self, "-dir", dir, fmt.Sprintf("-tests=%v", asTests))
}

// inNamespace starts Docker and runs all rows.
func inNamespace(dir string, asTests bool) error {
	e, err := start(dir)
	if err != nil {
		return err
	}
	defer e.stop()
	version, err := e.docker("version", "--format", "{{.Server.Version}}").Output()
	if err != nil {
		return err
	}
	fmt.Printf("Docker %s", version)
	passed, failed := 0, 0
	for _, uid := range []int{0, 1000} {
		for _, r := range rows(e, uid) {
			wrong := e.wrong(r, uid)
			if wrong != "" {
				failed++
			} else {
				passed++
			}
			tell(asTests, fmt.Sprintf("uid %d, %s", uid, r.name), wrong)
		}
	}
	if asTests {
		fmt.Println("PASS") // test2json holds the last test back until then
	} else {
		fmt.Printf("%d passed, %d failed\n", passed, failed)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed", failed, passed+failed)
	}
	return nil
}

// tell prints how a row went.
func tell(asTests bool, name, wrong string) {
	result := "PASS"
	if wrong != "" {
		result = "FAIL"
	}
	if !asTests {
		fmt.Println(result, name, wrong)
		return
	}
	name = "TestDocker/" + strings.ReplaceAll(name, " ", "_")
	fmt.Printf("=== RUN   %s\n    %s\n--- %s: %s (0.00s)\n", name, strings.TrimSpace(wrong), result, name)
}

// A row is one command in a container, and how it ends.
type row struct {
	name   string
	engine []string // flags of docker run
	words  []string
	exit   int
	says   []string
}

// wrong is what is not as a row wants it, or "".
func (e *engine) wrong(r row, uid int) string {
	args := append([]string{"run", "--rm", "--network", "none", "--volume", "/usr:/usr:ro", "--volume", e.dir + "/jail:/jail:ro",
		"--env", "SECRET=hunter2", "--user", strconv.Itoa(uid), "--workdir", "/work"}, r.engine...)
	cmd := e.docker(append(append(args, image), r.words...)...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != r.exit {
		return fmt.Sprintf("exit code %d, want %d: %s", got, r.exit, out)
	}
	for _, want := range r.says {
		if !strings.Contains(string(out), want) {
			return fmt.Sprintf("no %q in %s", want, out)
		}
	}
	return ""
}

func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
