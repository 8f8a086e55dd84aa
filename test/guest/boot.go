package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

// A guest is one boot of an image.
type guest struct {
	image     image
	arguments []string // more of them for the kernel
	order     order.Order
	pid1      string // the program that is its PID 1
	// on is called with every event, in order.
	on func(order.Event)
}

// memoryMiB is a guest's memory. What it does not touch costs the host nothing.
const memoryMiB = 2048

// errNotReady: the guest ended before its jobs began.
var errNotReady = errors.New("the guest did not come up")

// boot runs the guest until all its jobs have ended, ctx is over or it breaks.
func (g guest) boot(ctx context.Context) error {
	runtime.LockOSThread() // the programs die with the thread that started them
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp("", "jail-guest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text, err := json.Marshal(g.order)
	if err != nil {
		return err
	}
	initrd, err := g.image.initrd(g.pid1, text)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "initrd"), initrd, 0o600); err != nil {
		return err
	}
	h := host{dir: dir}
	defer h.end()
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer ours.Close()
	if g.image.kind == uml {
		err = h.startUML(g, theirs)
	} else {
		err = h.startQEMU(g, theirs)
	}
	theirs.Close()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, h.kill)
	defer stop()
	if err := g.follow(ours); err != nil {
		return fmt.Errorf("%w%s", errors.Join(err, ctx.Err()), h.logs())
	}
	return nil
}

// follow reads the guest's events until it is done.
func (g guest) follow(from io.Reader) error {
	ready, job := false, ""
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e order.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("the guest says %q: %w", lines.Text(), err)
		}
		if e.Fault != "" {
			return fmt.Errorf("the guest failed: %s", e.Fault)
		}
		if e.Done {
			return nil
		}
		ready = ready || e.Ready != nil
		if ready && e.Ready == nil {
			job = g.order.Jobs[e.Job].Name
		}
		g.on(e)
	}
	if !ready {
		return errNotReady
	}
	return fmt.Errorf("the guest ended in or after job %q: %w", job, errors.Join(lines.Err(), io.ErrUnexpectedEOF))
}

// A host is the programs of this machine that one guest consists of.
type host struct {
	dir   string
	procs []*exec.Cmd
	waits []chan struct{}
}

// start starts one of them, read-only but for some folders. It dies with this
// program, and in a group of its own, so that ^C does not reach it first.
func (h *host) start(writable, name string, args []string, files ...*os.File) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(h.dir, filepath.Base(name)+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(self, append([]string{readOnlyFlag, writable, name}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=/dev/shm", "HOME=/dev/shm"}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { // ends with the program, which end sees to
		defer close(done)
		cmd.Wait()
	}()
	h.procs, h.waits = append(h.procs, cmd), append(h.waits, done)
	return nil
}

func (h *host) kill() {
	for _, p := range h.procs {
		unix.Kill(-p.Process.Pid, unix.SIGKILL)
	}
}

// end gives a guest that is done a moment for its own way down, and ends it.
func (h *host) end() {
	if n := len(h.waits); n > 0 {
		select {
		case <-h.waits[n-1]:
		case <-time.After(time.Second):
		}
	}
	h.kill()
	for _, done := range h.waits {
		<-done
	}
}

// logs is what the programs and the guest's kernel said.
func (h *host) logs() string {
	files, _ := filepath.Glob(filepath.Join(h.dir, "*.log"))
	all := ""
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			all += fmt.Sprintf("\n%s: %s", filepath.Base(file), text[max(0, len(text)-4096):])
		}
	}
	return all
}

func socketPair() (*os.File, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "host's end"), os.NewFile(uintptr(fds[1]), "guest's end"), nil
}
