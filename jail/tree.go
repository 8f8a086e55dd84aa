package jail

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// treeUse is what a process and all its descendants use.
type treeUse struct {
	memory    int64                // bytes of anonymous and shared memory, shared ones as often as they are mapped
	cpu       cpuTimes             // of the live ones, and of those that they waited for
	own       map[process]cpuTimes // of each live one for itself
	processes int
	tasks     int // threads of all of them
}

// measureTree adds up the tree below pid, and no further than to more tasks than
// that: a tree that grows as fast has no end. Processes that come and go meanwhile
// may be missed.
func measureTree(pid int, most int64) treeUse {
	use := treeUse{own: map[process]cpuTimes{}}
	todo := []int{pid}
	for len(todo) > 0 && int64(use.tasks) <= most {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p := "/proc/" + strconv.Itoa(pid)
		stat, err := readSmall(p + "/stat")
		if err != nil {
			continue // it has ended
		}
		use.processes++
		if t, ok := parseStat(stat); ok {
			use.cpu = use.cpu.plus(t.own).plus(t.children)
			use.own[process{pid, t.start}] = t.own
		}
		if status, err := readSmall(p + "/status"); err == nil {
			use.memory += statusMemory(status)
		}
		threads, _ := os.ReadDir(p + "/task")
		use.tasks += len(threads)
		for _, t := range threads {
			todo = append(todo, children(p+"/task/"+t.Name()+"/children")...)
		}
	}
	return use
}

// children reads /proc/PID/task/TID/children, which may be long.
func children(path string) (pids []int) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, field := range bytes.Fields(text) {
		if n, err := strconv.Atoi(string(field)); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// statusMemory adds RssAnon and RssShmem of /proc/PID/status.
func statusMemory(status []byte) (bytes int64) {
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "RssAnon" && name != "RssShmem" {
			continue
		}
		kib, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.ParseInt(kib, 10, 64)
		if err == nil {
			bytes += n << 10
		}
	}
	return bytes
}
