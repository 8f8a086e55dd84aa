package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// monitorSlack is by how much the kernel may delay a sleep of the Go runtime's
// monitor thread.
const monitorSlack = "10000000" // ns

// slowMonitor lets the Go runtime's monitor thread, the first that it starts
// besides the main one, sleep longer than it asks for. It asks for 20 µs all
// through a short run, and each time takes a processor from the box that is
// being made on it: without this a run makes about twice as many context
// switches, and takes some 4 % longer. Nothing here needs the monitor to be prompt: it takes
// processors away from goroutines that block or run for long. A thread that
// is not there any more, or a /proc that does not have the file
// (proc_pid_timerslack_ns(5), Linux 4.6), is no loss.
func slowMonitor() {
	dir, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	buf := make([]byte, 1024)
	n, _ := unix.ReadDirent(dir, buf)
	unix.Close(dir)
	if n <= 0 {
		return
	}
	_, _, threads := unix.ParseDirent(buf[:n], -1, nil)
	main := strconv.Itoa(os.Getpid())
	for _, t := range threads { // in the order in which they were started
		if t == main {
			continue
		}
		if fd, err := unix.Open("/proc/"+t+"/timerslack_ns", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			unix.Write(fd, []byte(monitorSlack))
			unix.Close(fd)
		}
		return
	}
}
