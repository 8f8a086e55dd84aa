package selftest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// endChildren ends the processes below this one: as their subreaper it is the parent
// of all that the attacks left, once those between are gone. Nobody else waits for
// children any more.
func endChildren() error {
	const patience = 5 * time.Second
	for started := time.Now(); time.Since(started) < patience; time.Sleep(time.Millisecond) {
		pids, err := children()
		if err != nil {
			return err
		}
		for _, pid := range pids {
			unix.Kill(pid, unix.SIGKILL)
		}
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); errors.Is(err, unix.ECHILD) {
				return nil
			} else if err == nil && pid == 0 || err != nil && !errors.Is(err, unix.EINTR) {
				break
			}
		}
	}
	return fmt.Errorf("processes of the attacks could not be ended in %s", patience)
}

// children are this process's own, which cannot be another's before they were waited
// for. Kernels without CONFIG_PROC_CHILDREN have no such list.
func children() ([]int, error) {
	var pids []int
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // of a thread that is gone
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}
