package policy

const noNamespaces = "namespaces: a nested user namespace gives every capability back, and with it a wide kernel surface"

// Denied is the calls that we know and refuse: EPERM.
func Denied() []Group {
	return []Group{
		{"other processes' memory, descriptors and state, PID 1's among them",
			`ptrace process_vm_readv process_vm_writev process_madvise process_mrelease
			pidfd_getfd kcmp get_robust_list`},
		{"key rings: the session key ring is not namespaced, so it is the caller's",
			`add_key request_key keyctl`},
		{"kernel programs and counters: the largest source of kernel holes, and a view of the host",
			`bpf perf_event_open`},
		{"page faults and memory hidden from the kernel: the exploiter's stop watch, and nobody else's need",
			`userfaultfd memfd_secret`},
		{"mounts and roots: the view is fixed before the program starts",
			`mount umount2 open_tree move_mount mount_setattr fsopen fsconfig fsmount fspick
			pivot_root chroot`},
		{noNamespaces,
			`unshare setns`},
		{"files by handle: reach past the view",
			`name_to_handle_at open_by_handle_at`},
		{"watches: one on a read-only grant tells what the host does with the file",
			`inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark`},
		{"the machine itself",
			`reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff
			acct quotactl quotactl_fd syslog vhangup iopl ioperm`},
		{"what Linux had once. It is answered as the calls with the numbers beside it are: a filter asks for " +
			"ranges of numbers, and the fewer there are the sooner it is attached",
			`_sysctl create_module get_kernel_syms query_module nfsservctl vserver uselib`},
		{"clocks and names of the machine",
			`settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname`},
		{"flushing the host's file systems, which stalls everyone on them; fsync of one's own file is allowed",
			`sync syncfs`},
		{"what is mounted on any device, by its number, granted or not",
			`ustat sysfs`},
		{"memory nodes: libnuma takes EPERM as a machine with one node",
			`get_mempolicy set_mempolicy mbind migrate_pages move_pages set_mempolicy_home_node`},
		{"real-time scheduling behind a pointer that a filter cannot follow: " +
			"where the caller has RLIMIT_RTPRIO it would escape the cpu cap",
			`sched_setattr`},
		{"supplementary groups: none are granted",
			`setgroups`},
		{"16-bit and 32-bit segments: attack surface without a user here",
			`modify_ldt`},
		{"message queues: their buffers are the usual heap spray of kernel exploits, " +
			"and POSIX ones count against the caller's own budget on the host",
			`msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr`},
	}
}

// Missing is the calls that are answered as if the kernel did not have them:
// ENOSYS, which is also the answer to every number in no table. They are named
// so that a test can show that each call was decided upon.
func Missing() []Group {
	return []Group{
		{"clone's flags and open's mode behind a pointer: a filter cannot see CLONE_NEWUSER or a " +
			"setuid bit there. Every libc falls back on clone and openat",
			`clone3 openat2`},
		{"operations that no filter sees, because they are read from memory shared with the kernel",
			`io_uring_setup io_uring_enter io_uring_register`},
		{"kernel AIO: its contexts count against one host-wide number (fs.aio-max-nr) that a box could use up",
			`io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents`},
		{"whole-file locks: they can be had on a file that is open for reading only, so one on a " +
			"read-only grant stalls the host's programs. ENOSYS is what lock libraries take as " +
			"\"this file system cannot\", and fall back. fcntl's locks stay, because sqlite needs them",
			`flock`},
		{"numbers above 450: newer than the compiler's tables (libseccomp 2.5.4). Programs have to run " +
			"on kernels without them, so they fall back or do without. fchmodat2 would need the mode check; statmount, " +
			"listmount, listns and open_tree_attr would be refused anyway",
			`cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount
			lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat listxattrat
			removexattrat open_tree_attr file_getattr file_setattr listns rseq_slice_yield`},
		{"the kernel's own hooks for traced code; it lets its own use of them pass by any filter",
			`uretprobe uprobe`},
		{"numbers that Linux kept and no longer answers, or never did, and two that it answers " +
			"programs of 32 bits alone",
			`getpmsg putpmsg afs_syscall tuxcall security epoll_ctl_old epoll_wait_old lookup_dcookie
			set_thread_area get_thread_area`},
		{"non-linear maps, which the kernel itself only pretends to have: attack surface without a user here",
			`remap_file_pages`},
	}
}
