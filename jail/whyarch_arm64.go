package jail

import "golang.org/x/sys/unix"

// sysNewfstatat is stat(2) of a path: 79 is newfstatat in the kernel's own table.
const sysNewfstatat = unix.SYS_FSTATAT
