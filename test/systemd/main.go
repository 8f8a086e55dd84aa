package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limit is how long a boot with all rows may take.
const limit = 4 * time.Minute

func main() {
	if len(os.Args) == 5 && os.Args[1] == bootFlag {
		fmt.Fprintln(os.Stderr, "systemd:", boot(os.Args[2], os.Args[3], os.Args[4]))
		os.Exit(2)
	}
	asTests := flag.Bool("tests", false, "print the rows as go test -v prints tests, for test2json")
	release := flag.String("debian", "bookworm", "the `release` of Debian that the guest is: bullseye has systemd 247, bookworm 252, trixie 257")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	print := printRow
	if *asTests {
		print = printTest
	}
	failed, err := run(ctx, *release, print)
	if err != nil {
		fmt.Fprintln(os.Stderr, "systemd:", err)
		os.Exit(2)
	}
	if *asTests {
		fmt.Println("PASS") // or the last row would be none to test2json
	}
	if failed > 0 {
		fmt.Fprintf(os.Stderr, "systemd: %d rows failed\n", failed)
		os.Exit(1)
	}
}

// run makes everything and boots it, and answers how many rows failed.
func run(ctx context.Context, release string, print func(row string)) (int, error) {
	if os.Geteuid() != 0 {
		return 0, errors.New("run it as root: it mounts the guest's root, in a mount namespace of its own")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	cache = filepath.Join(cache, "jail-guest")
	kernel := filepath.Join(cache, "kernels/uml-6.1/kernel")
	if _, err := os.Stat(kernel); err != nil {
		return 0, fmt.Errorf("%w: fetch it first: go run ./test/guest -fetch -hosts uml-6.1", err)
	}
	tree := filepath.Join(cache, "systemd-"+release)
	if err := makeTree(ctx, release, tree); err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("/var/tmp", "jail-systemd-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	if err := fill(ctx, work); err != nil {
		return 0, err
	}
	for try := 1; ; try++ {
		rows, err := watch(ctx, kernel, tree, work)
		if err != nil && try < tries && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "systemd: tries again:", err)
			continue
		}
		failed := 0
		for _, row := range rows {
			print(row)
			if strings.HasPrefix(row, "FAIL") {
				failed++
			}
		}
		return failed, err
	}
}

// tries is how often the guest may break: User-mode Linux loses a process of its own
// where something stops or traces those, and then kills its PID 1.
const tries = 3

// watch boots the guest and answers the rows that the service in it prints.
func watch(ctx context.Context, kernel, tree, work string) (rows []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the guest dies with the thread that started it
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, self, bootFlag, kernel, tree, work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.Stderr = os.Stderr
	console, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	rows, said, ended := read(console)
	unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	if err := cmd.Wait(); !ended {
		return rows, fmt.Errorf("the guest did not get to its end: %w\n%s", errors.Join(err, ctx.Err()), said)
	}
	return rows, nil
}

// read answers the rows that come over the guest's console, the last of what else
// was said there, and whether the service came to its end with at least one row.
func read(console io.Reader) (rows []string, said string, ended bool) {
	lines := bufio.NewScanner(console)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		_, row, ok := strings.Cut(line, "@@ ") // systemd may have written on that line, too
		switch {
		case !ok:
			said += line + "\n"
			said = said[max(0, len(said)-8192):]
		case row == "end":
			return rows, said, len(rows) > 0
		default:
			rows = append(rows, row)
		}
	}
	return rows, said, false
}

func printRow(row string) { fmt.Println(row) }

// printTest prints a row, which is its verdict, its name, two spaces or more, and
// what else there is to say.
func printTest(row string) {
	verdict, rest, _ := strings.Cut(row, " ")
	name, said, _ := strings.Cut(strings.TrimSpace(rest), "  ")
	name = "TestSystemd/" + strings.ReplaceAll(name, " ", "_")
	result := "PASS"
	if verdict == "FAIL" {
		result = "FAIL"
	}
	fmt.Printf("=== RUN   %s\n    %s\n--- %s: %s (0.00s)\n", name, strings.TrimSpace(said), result, name)
}
