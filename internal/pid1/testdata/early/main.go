// Command early says with how many processors it began and what comes of that,
// and whether there is an early starter, and has it make a PID 1.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

func main() {
	if os.Args[len(os.Args)-1] == "processors" {
		began := runtime.GOMAXPROCS(0)
		pid1.Settle()
		settled := runtime.GOMAXPROCS(0)
		pid1.Spread()
		fmt.Println(began, settled, runtime.GOMAXPROCS(0), os.Environ())
		return
	}
	if os.Args[len(os.Args)-1] == "closed" {
		fmt.Fprintln(os.NewFile(3, ""), pid1.WasClosed(0), pid1.WasClosed(1), pid1.WasClosed(2))
		pid1.DiscardEarly()
		return
	}
	e, ok := pid1.TakeEarly()
	_, twice := pid1.TakeEarly()
	fmt.Println("early:", ok, "twice:", twice)
	if !ok {
		return
	}
	if !e.Asked {
		if err := (pid1.Request{Namespaces: pid1.Namespaces, Group: -1}).Send(e.Channel); err != nil {
			fmt.Println("Send:", err)
		}
	}
	pid, err := pid1.Born(e.Starter, e.Channel)
	if err != nil {
		fmt.Println("Born:", err)
		return
	}
	for _, ns := range []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} {
		var own, its unix.Stat_t
		unix.Stat("/proc/self/ns/"+ns, &own)
		if err := unix.Stat(fmt.Sprintf("/proc/%d/ns/%s", pid, ns), &its); err != nil || own.Ino == its.Ino {
			fmt.Println("not of its own:", ns, err)
		}
	}
	unix.Close(e.Channel) // without a supervisor it ends
	var status unix.WaitStatus
	unix.Wait4(pid, &status, unix.WALL, nil)
	fmt.Println("PID 1 ended with", status.ExitStatus())
}
