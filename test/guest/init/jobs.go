package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
	"golang.org/x/sys/unix"
)

const userHome = "/home/tester"

// addUser makes the ordinary user known.
func (m *machine) addUser() error {
	if err := os.MkdirAll(userHome, 0o755); err != nil {
		return err
	}
	if err := os.Chown(userHome, order.UserID, order.UserID); err != nil {
		return err
	}
	for file, line := range map[string]string{
		"/etc/passwd": fmt.Sprintf("tester:x:%d:%d::%s:/bin/sh\n", order.UserID, order.UserID, userHome),
		"/etc/group":  fmt.Sprintf("tester:x:%d:\n", order.UserID),
	} {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(line)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs one job to its end, or to its limit, and all that it leaves behind
// to theirs.
func (m *machine) run(index int, job order.Job) error {
	group, err := m.groups.place(m.order, job)
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	started := time.Now()
	pid, err := m.start(job, group, write)
	write.Close()
	if group != nil {
		group.Close()
	}
	if err != nil {
		return err
	}
	drained := make(chan struct{})
	go func() { // ends when nobody holds the pipe any more
		defer close(drained)
		m.pump(index, read)
	}()
	end := waitFor(pid, job.Limit)
	end.TookMS = time.Since(started).Milliseconds()
	killRest()
	<-drained
	read.Close()
	m.report(order.Event{Job: index, End: &end})
	return nil
}

// raiseLimits gives jobs the limit of open files that systemd gives to services;
// the kernel's own is 4096.
func raiseLimits() error {
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1024, Max: 512 << 10})
}

func (m *machine) start(job order.Job, group, out *os.File) (int, error) {
	home := "/root"
	attr := &syscall.SysProcAttr{Setsid: true}
	if m.order.User {
		home = userHome
		attr.Credential = &syscall.Credential{Uid: order.UserID, Gid: order.UserID}
		if err := out.Chown(order.UserID, order.UserID); err != nil { // as a shell's pipe is its user's
			return 0, err
		}
	}
	if group != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(group.Fd())
	}
	args := job.Args
	if m.typed != "" {
		args = waiting(args)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append([]string{"HOME=" + home, "LANG=C.UTF-8", "TERM=dumb"}, job.Env...)
	cmd.Dir, cmd.SysProcAttr = job.Dir, attr
	cmd.Stdout, cmd.Stderr = out, out
	if m.typed == "" {
		err := cmd.Start()
		if err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if err := m.typeInto(cmd.Process.Pid); err != nil {
		return 0, err
	}
	_, err = stdin.Write([]byte("\n"))
	return cmd.Process.Pid, err
}

// pump sends what comes out of a job as it comes.
func (m *machine) pump(index int, from *os.File) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			m.report(order.Event{Job: index, Output: []byte(strings.ToValidUTF8(string(buf[:n]), "?"))})
		}
		if err != nil {
			return
		}
	}
}

// waitFor waits for one process, and reaps every other that ends meanwhile, as
// PID 1 has to.
func waitFor(pid int, limit time.Duration) (end order.End) {
	late := time.AfterFunc(limit, func() { unix.Kill(-1, unix.SIGKILL) })
	for {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, 0, nil)
		if err == unix.EINTR || err == nil && got != pid {
			continue
		}
		end.Late = !late.Stop()
		end.Exit = status.ExitStatus()
		if status.Signaled() {
			end.Exit = 128 + int(status.Signal())
		}
		return end
	}
}

// killRest ends every process but this one, and reaps them.
func killRest() {
	unix.Kill(-1, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err == unix.ECHILD {
			return
		}
	}
}
