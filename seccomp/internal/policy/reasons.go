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
		modify_ldt set_thread_area get_thread_area remap_file_pages
		msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
		io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents flock`
	return slices.Contains(strings.Fields(calls), call)
}
