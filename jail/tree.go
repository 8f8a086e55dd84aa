package jail

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// treeUse is what a process and all its descendants use.
type treeUse struct {
	memory    int64                // bytes, shared ones as often as they are mapped
	cpu       cpuTimes             // of the live ones, and of those that they waited for
	own       map[process]cpuTimes // of each live one for itself
	processes int
	tasks     int // threads of all of them
	members   []member
}

// measureTree adds up the tree below pid, and no further than to more tasks than
// that: a tree that grows as fast has no end. Processes that come and go meanwhile
// may be missed.
func measureTree(pid int, most int64) treeUse {
	use := treeUse{own: map[process]cpuTimes{}}
	type one struct{ pid, parent int }
	todo := []one{{pid, 0}}
	for len(todo) > 0 && int64(use.tasks) <= most {
		pid, parent := todo[len(todo)-1].pid, todo[len(todo)-1].parent
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
		threads, _ := os.ReadDir(p + "/task")
		use.tasks += len(threads)
		bytes, folder := memoryOf(p, threads)
		use.memory += bytes
		use.members = append(use.members, member{folder, pid, parent})
		for _, t := range threads {
			for _, c := range children(p + "/task/" + t.Name() + "/children") {
				todo = append(todo, one{c, pid})
			}
		}
	}
	return use
}

// children reads /proc/PID/task/TID/children, which may be long.
func children(file string) (pids []int) {
	text, err := os.ReadFile(file)
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

// memoryOf is what the process at p has, and the folder below /proc of it or of a
// thread whose files tell: those of a first thread that has ended while others
// live on tell nothing.
func memoryOf(p string, threads []os.DirEntry) (bytes int64, folder string) {
	bytes, ok := readMemory(p)
	for i := 0; !ok && i < len(threads); i++ {
		p = path.Join(path.Dir(p), threads[i].Name()) // there though not listed (proc(5))
		bytes, ok = readMemory(p)
	}
	return bytes, p
}

func readMemory(folder string) (bytes int64, ok bool) {
	status, err := readSmall(folder + "/status")
	if err != nil {
		return 0, false
	}
	return statusMemory(status)
}

// statusMemory adds what /proc/PID/status says of memory (proc_pid_status(5)) that
// is the process's own: anonymous, in the swap, shared, and page tables, which
// can be a 512th of what is mapped though none of that is in memory. It is not ok
// where nothing is said, as of the dead.
func statusMemory(status []byte) (bytes int64, ok bool) {
	return sumFields(status, "RssAnon", "RssShmem", "VmSwap", "VmPTE")
}

// sumFields adds the named lines of a file in /proc, which are in KiB there.
func sumFields(text []byte, names ...string) (bytes int64, ok bool) {
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if !slices.Contains(names, name) {
			continue
		}
		kib, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
			bytes, ok = bytes+n<<10, true
		}
	}
	return bytes, ok
}
