package jail

import "golang.org/x/sys/unix"

// sysNewfstatat is stat(2) of a path, by the name that the kernel has for it.
const sysNewfstatat = unix.SYS_NEWFSTATAT
