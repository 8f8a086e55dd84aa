package policy

import (
	"slices"
	"strings"
)

// Why is the reason for which a call is refused, or refused with some arguments:
// that of its group. It is "" for a call that is allowed or that no group names.
func Why(call string) string {
	named := func(calls string) bool { return slices.Contains(strings.Fields(calls), call) }
	for _, g := range slices.Concat(Denied(), Missing()) {
		if named(g.Calls) {
			return g.Why
		}
	}
	for _, c := range Checked() {
		if named(c.Calls) {
			return c.Why
		}
	}
	return ""
}

// ByName says whether a box that needs a call which is refused may well be given
// it by name. What these do stays behind the other walls (namespaces, the view,
// no capabilities, the cgroup), and what the policy holds against them is that
// they are kernel code that few need, or that they can slow others down. The rest
// is refused because it opens a wall or reaches past one.
func ByName(call string) bool {
	const calls = `ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp get_robust_list
		userfaultfd memfd_secret inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
		sync syncfs get_mempolicy set_mempolicy mbind migrate_pages move_pages set_mempolicy_home_node
		modify_ldt remap_file_pages msgget msgsnd msgrcv msgctl
		io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents flock`
	return slices.Contains(strings.Fields(calls), call)
}

// Fruitless is why a refused call is of no use where a filter lets it through, since
// the kernel itself refuses it to a program without capabilities (capabilities(7)), or
// one of a box's limits does; "" for one that is then carried out, with some arguments at
// least, unless these change nothing, as those of iopl(0).
func Fruitless(call string) string {
	const capable = `mount umount2 move_mount mount_setattr fsopen fsconfig fsmount fspick pivot_root chroot setns
		open_by_handle_at reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff
		acct lookup_dcookie vhangup iopl ioperm settimeofday clock_settime sethostname setdomainname setgroups`
	const unroomy = `mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr`
	const unanswered = `set_thread_area get_thread_area uselib _sysctl create_module get_kernel_syms query_module nfsservctl getpmsg putpmsg
		afs_syscall tuxcall security vserver epoll_ctl_old epoll_wait_old`
	switch {
	case slices.Contains(strings.Fields(capable), call):
		return "past the filter the kernel asks for a capability, which no program in a box has"
	case slices.Contains(strings.Fields(unroomy), call):
		return "past the filter there is no room for a queue (RLIMIT_MSGQUEUE)"
	case slices.Contains(strings.Fields(unanswered), call):
		return "no kernel has it for programs of 64 bits"
	}
	return ""
}
