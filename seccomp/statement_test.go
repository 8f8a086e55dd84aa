package seccomp

import (
	"strings"

	"golang.org/x/sys/unix"
)

// This file states the default policy a second time, as a person would say it
// to a Go program, with no use of internal/policy: the interpreter test holds
// the compiled filters against it. Widening the policy therefore takes two
// edits, and a slip in one of them shows.

const (
	allow    = uint32(unix.SECCOMP_RET_ALLOW)
	kill     = uint32(unix.SECCOMP_RET_KILL_PROCESS)
	eperm    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	enosys   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	nofamily = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
)

const alwaysAllowed = `
accept accept4 access alarm arch_prctl bind brk capget capset chdir chown clock_getres clock_gettime
clock_nanosleep close close_range connect copy_file_range dup dup2 dup3 epoll_create epoll_create1
epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat
faccessat2 fadvise64 fallocate fchdir fchown fchownat fdatasync fgetxattr flistxattr fork fremovexattr
fsetxattr fstat fstatfs fsync ftruncate futex futex_waitv futimesat getcpu getcwd getdents getdents64
getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority
getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday
getuid getxattr ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek
lsetxattr lstat madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap msync
munlock munlockall munmap nanosleep newfstatat pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc
pkey_free pkey_mprotect poll ppoll pread64 preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read
readahead readlink readlinkat readv recvfrom recvmmsg recvmsg removexattr rename renameat renameat2
restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
sched_setaffinity sched_setparam sched_yield seccomp select semctl semget semop semtimedop sendfile
sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid setgid setitimer setpgid
setpriority setregid setresgid setresuid setreuid setsid setsockopt setuid setxattr shmat shmctl shmdt
shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx symlink symlinkat
sync_file_range sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime
timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink
unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev`

const alwaysRefused = `
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init fanotify_mark
finit_module fsconfig fsmount fsopen fspick get_mempolicy get_robust_list get_thread_area init_module
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioperm iopl kcmp kexec_file_load
kexec_load keyctl lookup_dcookie mbind memfd_secret migrate_pages modify_ldt mount mount_setattr
move_mount move_pages mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl
msgget msgrcv msgsnd name_to_handle_at open_by_handle_at open_tree perf_event_open pidfd_getfd
pivot_root process_madvise process_mrelease process_vm_readv process_vm_writev ptrace quotactl
quotactl_fd reboot remap_file_pages request_key sched_setattr set_mempolicy set_mempolicy_home_node
set_thread_area setdomainname setgroups sethostname setns settimeofday swapoff swapon sync syncfs
sysfs syslog umount2 unshare userfaultfd ustat vhangup`

// A statement is the default policy on one machine.
type statement struct {
	machine machine
	always  map[string]uint32 // by name, whatever the arguments
}

func state(m machine) statement {
	s := statement{m, make(map[string]uint32)}
	for _, name := range strings.Fields(alwaysAllowed) {
		s.always[name] = allow
	}
	for _, name := range strings.Fields(alwaysRefused) {
		s.always[name] = eperm
	}
	return s
}

// verdict is what the policy answers to d.
func (s statement) verdict(d data) uint32 {
	if d.arch != s.machine.audit {
		return kill
	}
	if s.machine.audit == unix.AUDIT_ARCH_X86_64 && d.nr >= 0x40000000 && d.nr != 0xffffffff {
		return kill
	}
	name := s.machine.calls.Name(int(d.nr))
	if action, ok := s.always[name]; ok {
		return action
	}
	return argumentVerdict(name, d.args)
}

// argumentVerdict is the answer to calls whose arguments are looked at, and
// ENOSYS to the rest.
func argumentVerdict(name string, args [6]uint64) uint32 {
	low := func(i int) uint32 { return uint32(args[i]) }
	switch name {
	case "creat", "mkdir", "chmod", "fchmod":
		return modeVerdict(low(1))
	case "mkdirat", "fchmodat":
		return modeVerdict(low(2))
	case "open":
		return openVerdict(low(1), low(2))
	case "openat":
		return openVerdict(low(2), low(3))
	case "mknod":
		return nodeVerdict(low(1))
	case "mknodat":
		return nodeVerdict(low(2))
	case "fcntl":
		return fcntlVerdict(low(1))
	case "ioctl":
		switch low(1) & 0xffff {
		case 0x5412, 0x541c, 0x541d, 0x5423:
			return eperm
		}
		return allow
	case "clone":
		// mount, cgroup, uts, ipc, user, pid, net
		if low(0)&(0x00020000|0x02000000|0x04000000|0x08000000|0x10000000|0x20000000|0x40000000) != 0 {
			return eperm
		}
		return allow
	case "socket":
		return nofamily
	case "socketpair":
		return pairVerdict(low(0), low(1))
	}
	return selfVerdict(name, args)
}

func modeVerdict(mode uint32) uint32 {
	if mode&06000 != 0 {
		return eperm
	}
	return allow
}

func openVerdict(flags, mode uint32) uint32 {
	if flags&0o100 == 0 && flags&0o20000000 == 0 { // O_CREAT, __O_TMPFILE
		return allow
	}
	return modeVerdict(mode)
}

func nodeVerdict(mode uint32) uint32 {
	switch mode & 0o170000 {
	case 0, 0o100000, 0o010000, 0o140000:
		return modeVerdict(mode)
	}
	return eperm
}

func fcntlVerdict(command uint32) uint32 {
	switch {
	case command == 1024, command == 1026, command == 1040:
		return eperm
	case command <= 11, command >= 15 && command <= 17, command >= 36 && command <= 38:
		return allow
	case command == 1025, command == 1027, command == 1028, command >= 1030 && command <= 1038:
		return allow
	}
	return enosys
}

func pairVerdict(family, kind uint32) uint32 {
	switch {
	case family != 1:
		return enosys
	case kind&0xf == 1, kind&0xf == 5:
		return allow
	}
	return eperm
}

// selfVerdict is the part of argumentVerdict about the caller's own process.
func selfVerdict(name string, args [6]uint64) uint32 {
	low := func(i int) uint32 { return uint32(args[i]) }
	switch name {
	case "prlimit64":
		if args[2] == 0 {
			return allow
		}
		return limitVerdict(low(1))
	case "setrlimit":
		return limitVerdict(low(0))
	case "personality":
		switch low(0) {
		case 0, 0x40000, 0xffffffff:
			return allow
		}
	case "sched_setscheduler":
		switch low(1) &^ 0x40000000 {
		case 0, 3, 5: // OTHER, BATCH, IDLE
			return allow
		case 1, 2, 6, 7: // FIFO, RR, DEADLINE, EXT
			return eperm
		}
	case "prctl":
		return prctlVerdict(low(0))
	}
	return enosys
}

func limitVerdict(resource uint32) uint32 {
	switch {
	case resource == 4:
		return eperm
	case resource < 16:
		return allow
	}
	return enosys
}

func prctlVerdict(option uint32) uint32 {
	switch option {
	case 28, 33, 35, 57, 62, 67, 0x59616d61:
		return eperm
	case 1, 2, 3, 4, 7, 8, 15, 16, 21, 22, 23, 24, 25, 26, 27, 29, 30, 34, 36, 37, 38, 39, 40, 41, 42, 47,
		50, 51, 52, 53, 54, 55, 56, 58, 59, 60, 61, 63, 64, 65, 66, 68, 74, 75, 76, 0x53564d41, 0x41555856:
		return allow
	}
	return enosys
}
