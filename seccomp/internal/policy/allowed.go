package policy

// Allowed is the calls that are carried out whatever their arguments. Most of
// them act on the caller itself, or on files and sockets that the other walls
// let it have.
func Allowed() []Group {
	return []Group{
		{"bytes through descriptors that the caller already has",
			`read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek
			sendfile copy_file_range splice tee vmsplice fsync fdatasync sync_file_range
			fallocate ftruncate readahead fadvise64`},
		{"descriptors: made, copied, closed",
			`close close_range dup dup2 dup3 pipe pipe2 eventfd eventfd2`},
		{"waiting for events",
			`poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
			epoll_pwait2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime`},
		{"looking at files; what exists is decided by the box's root and Landlock",
			`stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
			getdents getdents64 getcwd chdir fchdir statfs fstatfs
			getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr`},
		{"changing files in writable grants; modes are checked elsewhere",
			`truncate rename renameat link linkat symlink symlinkat unlink unlinkat rmdir
			chown fchown lchown fchownat utime utimes utimensat futimesat umask
			setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr`},
		{"own memory; its amount is the cgroup's and RLIMIT_MEMLOCK's to cap, and advice is checked elsewhere",
			`mprotect munmap mremap brk msync mincore membarrier
			mlock mlock2 munlock mlockall munlockall pkey_alloc pkey_free pkey_mprotect`},
		{"own processes and threads; their number is the cgroup's to cap",
			`fork vfork execve execveat exit exit_group wait4 waitid set_tid_address
			set_robust_list rseq futex futex_waitv arch_prctl restart_syscall`},
		{"signals; the pid namespace holds nobody else to send them to but PID 1, for which the kernel " +
			"drops all that it has no handler for",
			`kill tkill tgkill pidfd_open pidfd_send_signal rt_sigaction rt_sigprocmask
			rt_sigpending rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo
			rt_tgsigqueueinfo sigaltstack pause`},
		{"clocks read and timers set; setting clocks is not among them",
			`time gettimeofday clock_gettime clock_getres nanosleep alarm
			getitimer setitimer timer_settime timer_gettime timer_getoverrun
			timer_delete times`},
		{"who and where one is",
			`getpid getppid gettid getpgid getpgrp getsid setpgid setsid getuid geteuid getgid
			getegid getresuid getresgid getgroups uname sysinfo getrusage getrlimit getrandom getcpu`},
		{"ids set to what one is: runtimes and shells do it on start, and without capabilities " +
			"in a user namespace with one id the kernel takes no other",
			`setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid capget capset`},
		{"priorities, read; setting them is checked elsewhere",
			`getpriority ioprio_get sched_yield sched_getaffinity
			sched_getparam sched_getscheduler sched_getattr
			sched_get_priority_max sched_get_priority_min sched_rr_get_interval`},
		{"sockets that exist already: which can exist at all is decided where they are made; their options are checked elsewhere",
			`bind connect listen accept accept4 getsockname getpeername sendto recvfrom sendmsg
			recvmsg sendmmsg recvmmsg shutdown getsockopt`},
		{"System V shared memory and semaphores, which live and end with the ipc namespace: databases",
			`shmat shmdt shmctl semget semop semtimedop semctl`},
		{"locking oneself up further; seccomp is checked elsewhere",
			`landlock_create_ruleset landlock_add_rule landlock_restrict_self`},
	}
}
