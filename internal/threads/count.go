package threads

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// everybodys is how many processes and threads there are, of all users
// (proc_loadavg(5)): at least as many as the user's, and found at once.
func everybodys() int64 {
	text, _ := os.ReadFile("/proc/loadavg")
	_, rest, _ := bytes.Cut(text, []byte("/"))
	total, _, _ := bytes.Cut(rest, []byte(" "))
	n, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return math.MaxInt32
	}
	return n
}

// Of counts the processes and threads of a user that can be seen: those in other
// pid namespaces than those below one's own can't.
func Of(uid int) (n int64) {
	all, _ := os.ReadDir("/proc")
	buf := make([]byte, 4096)
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		status := buf[:readStatus(e.Name(), buf)]
		if owner, ok := field(status, "Uid"); !ok || owner != int64(uid) {
			continue
		}
		threads, _ := field(status, "Threads")
		n += threads
	}
	return n
}

// readStatus reads what there is of a process, if it is still there, and says how many
// bytes. The os package would first start the poller, for each of them.
func readStatus(pid string, buf []byte) int {
	fd, err := unix.Open("/proc/"+pid+"/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, buf)
	return max(n, 0)
}

// field is the first number of a line of /proc/PID/status (proc_pid_status(5)).
func field(status []byte, name string) (int64, bool) {
	_, rest, ok := bytes.Cut(status, []byte("\n"+name+":"))
	if words := bytes.Fields(rest[:min(len(rest), 64)]); ok && len(words) > 0 {
		n, err := strconv.ParseInt(string(words[0]), 10, 64)
		return n, err == nil
	}
	return 0, false
}
