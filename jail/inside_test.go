package jail

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// inside are what the test binary does in a box; the result is its exit code.
var inside = map[string]func() int{
	"printIDs":        printIDs,     // in a user namespace, see TestHostRoot
	"printRun":        printRun,     // likewise, see TestGroupOfAnotherUser
	"printKeyring":    printKeyring, // as an ordinary user, see TestKeyringOfAnotherUser
	"describeKeyring": describeKeyring,
	// typeAhead tries to type into the terminal it has (CVE-2017-5226).
	"typeAhead": func() int {
		key := byte('x')
		err := unix.IoctlSetPointerInt(0, unix.TIOCSTI, int(key))
		fmt.Println(err)
		return 0
	},
	// deviceCommands asks each device for its terminal settings. Where a command
	// reaches a device that is no terminal it says so (ENOTTY).
	"deviceCommands": func() int {
		for _, name := range []string{"null", "zero", "full", "random", "urandom", ownTTY, console} {
			f, err := os.OpenFile("/dev/"+name, os.O_RDWR, 0)
			if err == nil {
				_, err = unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
			}
			fmt.Println(name, err)
		}
		return 0
	},
	"env":              func() int { fmt.Println(os.Environ()); return 0 },
	"subreaper":        subreaperInside,
	"tier2 supervisor": killedSupervisor,
	"pool supervisor":  poolSupervisor,

	"ask everywhere":     askEverywhere,
	"answers":            func() int { fmt.Print(answers()); return 0 },
	"flood":              flood,
	"flood forever":      floodForever,
	"be refused often":   beRefusedOften,
	"flooded supervisor": floodedSupervisor,
	"let go":             letGo,
	"fetch":              refusedAndFail(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM),
	"look a name up":     refusedAndFail(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW),
	"flush all disks":    refusedAndFail(unix.SYS_SYNC, 0, 0),
	"ask for a host":     refusedAndFail(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC),
	"debug":              refusedAndFail(unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1),
	"make a container":   refusedAndFail(unix.SYS_UNSHARE, unix.CLONE_NEWUSER|unix.CLONE_NEWNS, 0),
	"make code":          refusedAndFail(unix.SYS_MEMFD_CREATE, 0, 0),
	"fetch and wait":     fetchAndWait,
	"listened":           listened,
	"many kinds":         manyKinds,
	"open in a loop":     openInLoop,
	"stranger":           beRefused,
	"paths everywhere":   pathsEverywhere,
	"paths":              func() int { fmt.Print(pathAnswers()); return 0 },
	"look forever":       lookForever,
	"look often":         lookOften,

	"burn in children that nobody waits for": burnUnwaited,
	"burn":                                   func() int { burn(unhurried(400*time.Millisecond, 150*time.Millisecond)); return 0 },
	"memory of a thread whose leader ended":  leaderless,
	"page tables":                            pageTables,
	"uncounted":                              uncounted,
	"memory that forks share":                forkShared,
}
