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
close close_range connect copy_file_range dup dup2 dup3 epoll_create epoll_create1
epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat
faccessat2 fadvise64 fallocate fchdir fchown fchownat fdatasync fgetxattr flistxattr fork fremovexattr
fsetxattr fstat fstatfs fsync ftruncate futex futex_waitv futimesat getcpu getcwd getdents getdents64
getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority
getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday
getuid getxattr ioprio_get kill landlock_add_rule landlock_create_ruleset
landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek
lsetxattr lstat membarrier mincore mlock mlock2 mlockall mprotect mremap msync
munlock munlockall munmap nanosleep newfstatat pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc
pkey_free pkey_mprotect poll ppoll pread64 preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read
readahead readlink readlinkat readv recvfrom recvmmsg recvmsg removexattr rename renameat
restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
sched_yield select semctl semget semop semtimedop sendfile
sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid setgid setitimer setpgid
setregid setresgid setresuid setreuid setsid setuid setxattr shmat shmctl shmdt
shutdown sigaltstack signalfd signalfd4 splice stat statfs statx symlink symlinkat
sync_file_range sysinfo tee tgkill time timer_delete timer_getoverrun timer_gettime
timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink
unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev`

const alwaysRefused = `
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init fanotify_mark
finit_module fsconfig fsmount fsopen fspick get_mempolicy get_robust_list init_module
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioperm iopl kcmp kexec_file_load
kexec_load keyctl mbind memfd_secret migrate_pages modify_ldt mount mount_setattr
move_mount move_pages mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl
msgget msgrcv msgsnd name_to_handle_at open_by_handle_at open_tree perf_event_open pidfd_getfd
pivot_root process_madvise process_mrelease process_vm_readv process_vm_writev ptrace quotactl
quotactl_fd reboot request_key sched_setattr set_mempolicy set_mempolicy_home_node
setdomainname setgroups sethostname setns settimeofday swapoff swapon sync syncfs
sysfs syslog umount2 unshare userfaultfd ustat vhangup
_sysctl create_module get_kernel_syms nfsservctl query_module uselib vserver`

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
