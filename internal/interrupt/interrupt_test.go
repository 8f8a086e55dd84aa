package interrupt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Signals end the process that they come to, so each case has one of its own:
// this test program, started again.
func TestMain(m *testing.M) {
	if os.Getenv("INTERRUPT_CHILD") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("INTERRUPT_CHILD") == "heeds all" { // whatever the tests were started to ignore, as by nohup
		for _, s := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
			setAction(s, &sigaction{}, nil)
		}
	}
	fd, err := Catch(unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	if err != nil {
		panic(err)
	}
	if os.Getenv("INTERRUPT_CHILD") == "ends" {
		fmt.Println("ends at first:", EndAtFirst())
		time.Sleep(2 * time.Minute)
	}
	// Threads in the middle of other work, whose stacks and registers are to
	// be as they were.
	sums := make(chan int)
	for range 4 {
		go func() {
			sum := 0
			for i := range 60_000_000 {
				sum += i & 3
			}
			sums <- sum
		}()
	}
	fmt.Println("ready")
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if n, err := unix.Poll(poll, 120_000); n > 0 || !errors.Is(err, unix.EINTR) {
			break
		}
	}
	fmt.Println("caught", unix.SignalName(Signal()))
	for range 4 {
		if sum := <-sums; sum != 90_000_000 {
			fmt.Println("wrong sum", sum)
		}
	}
	fmt.Println("whole")
	time.Sleep(2 * time.Minute)
}

// child starts this program again, below prefix, and waits until it catches
// signals.
func child(t *testing.T, prefix ...string) (*exec.Cmd, *strings.Builder, func(until string) error) {
	t.Helper()
	args := append(prefix, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	heeds := "heeds all"
	if len(prefix) > 0 {
		heeds = "heeds what it is given"
	}
	cmd.Env = append(os.Environ(), "INTERRUPT_CHILD="+heeds)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	return cmd, &stderr, start(t, cmd, "ready\n")
}

// start starts this program, and waits until it has said that it is ready.
func start(t *testing.T, cmd *exec.Cmd, ready string) (wait func(until string) error) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	buf := make([]byte, 4096)
	said := ""
	wait = func(until string) error {
		for !strings.Contains(said, until) {
			n, err := out.Read(buf)
			said += string(buf[:n])
			if err != nil {
				return fmt.Errorf("it said %q and no %q", said, until)
			}
		}
		return nil
	}
	must(t, wait(ready))
	return wait
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFirstSignalIsTold(t *testing.T) {
	for _, s := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		cmd, _, wait := child(t)
		cmd.Process.Signal(s)
		must(t, wait("caught "+unix.SignalName(s)+"\n"))
		must(t, wait("whole\n"))
	}
}

func TestLaterSignalEnds(t *testing.T) {
	cmd, stderr, wait := child(t)
	cmd.Process.Signal(unix.SIGINT)
	must(t, wait("caught SIGINT\n"))
	time.Sleep(grace)
	cmd.Process.Signal(unix.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 128+int(unix.SIGTERM) {
		t.Errorf("after a later signal: %v, want exit status %d", err, 128+int(unix.SIGTERM))
	}
	if want := "jail: a signal, ending at once\n"; stderr.String() != want {
		t.Errorf("stderr: %q, want %q", stderr.String(), want)
	}
}

// A process whose stderr nobody reads ends all the same.
func TestSignalEndsUnread(t *testing.T) {
	for _, first := range []bool{false, true} {
		r, w, err := os.Pipe()
		must(t, err)
		defer r.Close()
		defer w.Close()
		full := int(w.Fd())
		must(t, unix.SetNonblock(full, true))
		for err == nil {
			_, err = unix.Write(full, make([]byte, 1<<16))
		}
		must(t, unix.SetNonblock(full, false))
		cmd := exec.Command(os.Args[0])
		cmd.Stderr = w
		cmd.Env = append(os.Environ(), "INTERRUPT_CHILD=heeds all")
		word := "ready\n"
		if first {
			cmd.Env = append(os.Environ(), "INTERRUPT_CHILD=ends")
			word = "ends at first: true\n"
		}
		wait := start(t, cmd, word)
		if !first {
			cmd.Process.Signal(unix.SIGINT)
			must(t, wait("caught SIGINT\n"))
			time.Sleep(grace)
		}
		cmd.Process.Signal(unix.SIGTERM)
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		err = cmd.Wait()
		late.Stop()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 128+int(unix.SIGTERM) {
			t.Errorf("first %v: %v, want exit status %d", first, err, 128+int(unix.SIGTERM))
		}
	}
}

// Signals that come close to the first change nothing: it is the one that is told.
func TestCloseSignalsAreOne(t *testing.T) {
	for _, pair := range [][2]unix.Signal{{unix.SIGTERM, unix.SIGTERM}, {unix.SIGINT, unix.SIGTERM}, {unix.SIGHUP, unix.SIGINT}} {
		for _, apart := range []time.Duration{0, 500 * time.Microsecond, 100 * time.Millisecond} {
			err := closeSignals(t, pair, apart)
			for range 4 { // a busy machine may set them apart
				if err == nil {
					break
				}
				t.Log(err)
				err = closeSignals(t, pair, apart)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// closeSignals sends a pair, and fails if they were taken for more than one.
func closeSignals(t *testing.T, pair [2]unix.Signal, apart time.Duration) error {
	t.Helper()
	cmd, stderr, wait := child(t)
	cmd.Process.Signal(pair[0])
	if pair[0] != pair[1] {
		if err := wait("caught " + unix.SignalName(pair[0]) + "\n"); err != nil { // signals of one moment have no order
			return err
		}
	}
	time.Sleep(apart)
	cmd.Process.Signal(pair[1])
	err := errors.Join(wait("caught "+unix.SignalName(pair[0])+"\n"), wait("whole\n"))
	if err == nil && stderr.String() != "" {
		err = fmt.Errorf("stderr %q", stderr.String())
	}
	if err != nil {
		return fmt.Errorf("%v, %v apart: %w", pair, apart, err)
	}
	return nil
}

// What nohup made ignored stays so, and what it did not is caught.
func TestIgnoredStaysIgnored(t *testing.T) {
	cmd, _, wait := child(t, "nohup")
	cmd.Process.Signal(unix.SIGHUP)
	cmd.Process.Signal(unix.SIGHUP)
	cmd.Process.Signal(unix.SIGINT)
	must(t, wait("caught SIGINT\n"))
}

func TestContext(t *testing.T) {
	if fd := Of(context.Background()); fd != -1 {
		t.Errorf("Of(nothing) = %d, want -1", fd)
	}
	if fd := Of(With(context.Background(), 7)); fd != 7 {
		t.Errorf("Of(With(7)) = %d", fd)
	}
}

// A dropped signal runs no handler, and children are waited for as ever, also where
// they were nobody's to wait for when the process started.
func TestDrop(t *testing.T) {
	if os.Getenv("INTERRUPT_DROP") == "" {
		for _, prefix := range []string{"", "trap '' CHLD; "} {
			cmd := exec.Command("sh", "-c", prefix+`exec "$0" -test.run '^TestDrop$' -test.v`, os.Args[0])
			cmd.Env = append(os.Environ(), "INTERRUPT_DROP=1")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestDrop") {
				t.Errorf("%q: %v\n%s", prefix, err, out)
			}
		}
		return
	}
	disposition := func() uintptr {
		var act sigaction
		if err := setAction(unix.SIGCHLD, nil, &act); err != nil {
			t.Fatal(err)
		}
		return act.handler
	}
	if h := disposition(); h <= sigIgn {
		t.Fatalf("before, SIGCHLD had the handler %#x, want one of the runtime's", h)
	}
	if err := Drop(unix.SIGCHLD); err != nil {
		t.Fatal(err)
	}
	if h := disposition(); h != 0 { // SIG_DFL, which unlike SIG_IGN keeps children to be waited for
		t.Errorf("SIGCHLD has the handler %#x, want the default", h)
	}
	var failed *exec.ExitError
	if err := exec.Command("sh", "-c", "exit 7").Run(); !errors.As(err, &failed) || failed.ExitCode() != 7 {
		t.Errorf("a child that exits with 7: %v", err)
	}
}
