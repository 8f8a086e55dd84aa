package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// A supervisor is one `jail run` with its record on a pipe of its own.
type supervisor struct {
	cmd    *exec.Cmd
	record *os.File
	up     *watcher
}

// A watcher throws output away and says when the first of it came.
type watcher struct {
	once  sync.Once
	first chan struct{}
}

func newWatcher() *watcher { return &watcher{first: make(chan struct{})} }

func (w *watcher) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.first) })
	return len(b), nil
}

// hung bounds a run that should have ended by itself.
const hung = 2 * time.Minute

// begin has somebody start jail with a label, flags and a program; its record
// will be on descriptor 3.
func begin(who identity, label string, flags, args []string) (*supervisor, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s := &supervisor{record: r, up: newWatcher()}
	line := append([]string{"run", "-q", "--profile", "exec", "--name", label, "--record", "fd:3"}, flags...)
	line = append(append(line, who.flags...), "--")
	s.cmd = exec.Command(path("jail"), append(line, args...)...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who.credential}
	s.cmd.Stdout, s.cmd.Stderr = s.up, newWatcher()
	s.cmd.ExtraFiles = []*os.File{w}
	// Whoever else had our output would keep it open.
	s.cmd.WaitDelay = 5 * time.Second
	if err := s.cmd.Start(); err != nil {
		r.Close()
		return nil, err
	}
	return s, nil
}

// end waits for the supervisor's end. The record is nil when there is none.
func (s *supervisor) end() (*jail.Result, syscall.WaitStatus, error) {
	defer s.record.Close()
	guard := time.AfterFunc(hung, func() { s.cmd.Process.Signal(syscall.SIGQUIT) })
	defer guard.Stop()
	text, err := io.ReadAll(s.record)
	waited := s.cmd.Wait()
	if err != nil {
		return nil, 0, err
	}
	if s.cmd.ProcessState == nil {
		return nil, 0, waited
	}
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if len(text) == 0 {
		return nil, status, nil
	}
	r, err := decode(text)
	return r, status, err
}

// decode reads the one line that a record is.
func decode(text []byte) (*jail.Result, error) {
	if n := bytes.Count(text, []byte("\n")); n != 1 {
		return nil, fmt.Errorf("a record of %d lines: %q", n, text)
	}
	r := new(jail.Result)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return r, d.Decode(r)
}

// children lists the processes that pid started.
func children(pid int) (list []int) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	for _, t := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, f := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(f); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
