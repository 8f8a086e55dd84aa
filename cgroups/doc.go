// Package cgroups makes one control group for one box: it creates the leaf,
// limits it, reads it, kills it, sees it empty and removes it.
//
// A leaf is born in this order, and the order is the argument for its safety:
//
//	Find    where leaves are made: a named group, this process's own, or a
//	        scope that systemd makes around this process
//	Create  mkdir, lock, limits; no process of the box exists yet
//	enter   version 2: the box's first process is cloned into [Group.FD];
//	        version 1: it writes "0" to each of [Group.TaskFiles] itself
//	Stats   what the run cost, read while the leaf still exists
//	Kill, Empty, Remove
//
// Both versions of the kernel's interface are real backends here. Version 2 is
// written to Documentation/admin-guide/cgroup-v2.rst. Version 1 (hybrid hosts)
// uses the memory, cpu, cpuacct and pids hierarchies, wherever they are mounted
// and however they are joined together, after Documentation/admin-guide/cgroup-v1.
//
// What version 1 cannot do is said, never faked: there is no kill file, so
// [Group.Kill] goes by the list of processes, and the kernel ends one process and
// not the whole group when memory runs out, nor any when sockets do (whoever
// watches [Group.OutOfMemory] ends the rest).
//
// # systemd
//
// On version 2, systemd is the one writer of each group that it made and did
// not delegate (CGROUP_DELEGATION.md). A session's group is neither writable
// for its user nor empty of others. A group that was delegated comes first
// nevertheless: its limits are meant for all that runs in it, and a scope would
// take the boxes out of them. Where the own group is not delegated,
// Find asks for a scope over D-Bus, which is a matter of milliseconds, and of
// two seconds at most; and it believes /proc/self/cgroup and not the answer.
// What broke for others on this way, and is met here: units left behind as
// failed after memory ran out (runc#3780), ids that differ in user namespaces,
// process ids that differ in PID namespaces, controllers that the user's
// manager does not have itself (systemd before 252), and waiting for ever for a
// job's end. test/systemd shows all of it below a real systemd.
//
// # Dying takes processor time
//
// A killed process has to run once more to die, and it has to wait for its
// turn: in a group of a hundred busy loops at a hundredth of a processor that is
// minutes. The same holds for the PID 1 whose end is the end of its namespace.
// So [Group.Kill] lifts the quota, and signals every process and not one that
// would see to the others.
//
// # Leaves that outlive their maker
//
// A supervisor that is killed can't remove its leaf. So each maker holds an
// flock on its leaf's directory for as long as it lives, and the kernel lets go
// of it on any death. [Parent.Sweep] removes exactly the leaves whose lock is
// free. On version 1 the locked folder is that in the pids hierarchy, and an
// attribute of it says where the leaf's others are. A leaf is made before it
// can be locked, so a sweeper may win that race: Create notices, and starts
// again under another name.
//
// # Why a leaf is never used twice
//
// Kernels without the fix of 6.1.192, 6.12.117 and 7.3.4 kill every process
// that is later cloned into a group whose cgroup.kill was once written. A new
// name for each run makes that harmless, and it makes every counter start at
// zero.
package cgroups
