package pid1

import "golang.org/x/sys/unix"

// stdio is what jail_entry has asked the kernel of stdin, stdout and stderr, unless the
// number of another descriptor told it that they are open.
var stdio = [3]unix.PollFd{{Fd: 0}, {Fd: 1}, {Fd: 2}}

// WasClosed says whether the caller had closed stdin (0), stdout or stderr when the
// process began: the Go runtime has opened /dev/null there since. Of a program that did
// not begin at jail_entry nobody knows: it says no.
func WasClosed(fd int) bool { return stdio[fd].Revents&unix.POLLNVAL != 0 }
