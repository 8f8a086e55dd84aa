// Package jail runs one program that nobody trusts in a box of its own, and
// says in one record how it ended and which walls stood.
//
// # What it promises, and what not
//
// The program gets no variable, descriptor, capability, supplementary group,
// terminal, mount, socket or process of the caller that was not granted by
// name. What was asked for and can't be enforced is a refusal. However a run
// ends, the whole process tree is gone and the Result is complete. A flaw in
// the kernel itself is out of scope: for that there are virtual machines and
// user-space kernels.
//
// # How a run is built
//
//	Spec ─ Validate, resolve ─> view ─ compile ─> Plan ─> PID 1 ─> program
//	                                                        │
//	Result <─ verdict <─ report, last words, counters <─────┘
//
// Every fault is found before PID 1 receives its plan, a flat list of system
// calls with final arguments; [Explain] shows the same one. PID 1 (internal/pid1)
// is a freestanding program of a few hundred lines without a C library. It is
// started first, because the kernel needs most of a millisecond for its
// namespaces, and waits for the plan on a socket. That comes in two parts: the
// first list, which asks for nothing of the host's, and is carried out while the
// rest is compiled where PID 1 is there already; and the others. It carries out the
// list of the box; then it forks, and while the child carries out the list of the
// target, which ends in execve, it locks itself down and waits. What does not
// go as planned is reported as (list, step, result), from which the supervisor
// knows stage, operation, operand and errno.
//
// # The walls
//
// This table is compared with the code by a test: each stage that makes part
// of a wall stands in it once, in the order in which it runs. (The first list is
// told as the box's. As root, to whose boxes everything granted is handed in, the
// pivot is part of it, and what is granted is mounted behind the pivot.)
//
//	stage      list    what it does                                     why, and why here
//	identity   box     a uid of its own, no groups, host name, umask    an unprivileged host uid that no other box has; nothing of the caller's identity
//	net        box     loopback up, if asked for                        needs a capability that is given up below
//	mounts     box     a new root on a tmpfs of ours, sealed            nothing exists but what was granted; mount points are made by descriptor (CVE-2026-87766)
//	pivot      box     into the new root, the host's detached           no path leads to the host's tree any more
//	landlock   box     rules for the final tree                         bound to the inodes that are there now; PID 1 has the time for it while its group is made
//	cgroup     box     PID 1 writes itself into its group (v1)          memory, cpu and pids are capped before the program exists; the kernel makes the group while PID 1 makes the view; on v2 it is born there
//	caps       box     every capability set emptied, no_new_privs       the last capability was needed above; Landlock and seccomp need no_new_privs
//	lifeline   box     parent-death signal, SIGIO from a pipe           nothing survives the supervisor; after the ids changed, which would clear it
//	reaper     reaper  descriptors closed, a filter of its own          PID 1 has nothing worth taking and can do nothing but wait and report
//	session    target  setsid, default signals, /dev/null, chdir        no terminal to type into (TIOCSTI), no ignored signal inherited
//	rlimits    target  open files, file size, core, stack, locks, cpu   per-process backstops; the filter below forbids some of it
//	landlock   target  the ruleset entered, with a canary               by the program's process alone; the canary shows that it acts (CVE-2024-21626)
//	seccomp    target  close-on-exec for all, the allow-list            last, so that the list need not allow what the others needed
//	evidence   target  /proc status and namespaces, read and sent       the kernel's word on all of the above, right before the program
//	exec       target  execve                                           nothing of ours runs after the filter but these few calls
//
// # Denials
//
// The box's filter puts what it refuses to a listener (seccomp_unotify(2)), which
// the process that becomes the program makes with the filter and sends to the
// supervisor. There a goroutine, from the first refused call on, spells the call,
// reading from the caller's memory what its pointers lead to, and answers with the
// errno that the filter alone would give. Never anything else: an answer that lets a
// call go on lets it go on with arguments that were changed after they were looked
// at. What the box could do to the supervisor by that is bounded: how many answers it
// gets, how much is read and kept. Memory that takes long to be read holds up the
// answers, not the end of the box. In tier 2 what is said of calls that name a process
// is behind the policy in the same filter, since the kernel lets one alone have a
// listener.
//
// What Landlock refuses is told by the kernel's audit records, where the host has
// auditing on and the caller may read them (audit.go). The
// flags with which the ruleset is entered have them made where they are read, and
// nowhere else.
//
// # Tier 2
//
// A box of tier 2 ([Spec.Tier]) is for hosts without user namespaces: a process of
// the host like any other, without net, mounts and pivot of the table above. What
// was granted is opened by Landlock alone, at its own path. In the place of PID 1
// stands the keeper, the subreaper of the program's tree, which when it is over ends
// the tree by one kill(-1) and waits until it has no child any more. It may signal
// the tree and nobody else: root's keeper has the program's uid as its effective one
// and others as real and saved, all of them nobody else's; and from Landlock ABI 6
// on it stands in a domain with a signal scope around the program's. That it can't
// signal the supervisor is tried before it is trusted. An ordinary user's box below
// ABI 6 has neither: there the filter lets nobody leave the program's process group,
// which is what is killed, nor signal anybody but that whole group. The filter refuses besides
// what namespaces and mounts do in tier 1: calls that name other processes, System V
// IPC, and, where the program has the caller's uid, changes of modes, owners and
// attributes, for which Landlock has no right. docs/tier2.md lists what is missing.
//
// # Who the box is
//
// Started by root, a box gets a host uid that nobody else has (boxes of two pid
// namespaces may meet, one pair in four million), and what the
// caller grants is handed in as detached mounts, idmapped so that files made
// in the box belong to the owner of the granted folder. Started by anybody
// else, it is that user, one to one: nothing that needs a set-uid helper.
// The supplementary groups of an ordinary caller then stay, because the kernel
// lets only a privileged one drop them in a new user namespace
// (user_namespaces(7)); the receipt says so.
//
// # Unix sockets
//
// A socket file in a granted tree can be connected to also when the tree is
// read-only. From Landlock ABI 9 on the kernel keeps such connections inside
// the box. Below it the filter refuses to make AF_UNIX sockets that could
// connect anywhere (pairs of streams remain), which costs programs that talk
// to each other over named sockets, such as Python's multiprocessing.Manager;
// Spec.Unix allows them by name. In tier 2 it always takes that: there the names of
// abstract sockets are the host's, and Landlock keeps nobody from taking one.
//
// # Boxes that stand ready
//
// A [Pool] makes boxes ahead of need. Such a box is made from the same plan, up to
// execve: its process waits, behind all the walls, for one message with the program,
// its arguments and environment, on a socket that nobody else in the box has and that
// execve closes. The evidence is read, and the limits of its group read back, before
// it waits. It runs one thing. When that has ended PID 1, whose filter allows
// kill(2) besides, ends everybody else in its pid namespace, waits until it has no
// child left and says so: the record need not wait for what the kernel does when
// namespaces and mounts end, which takes as long as a short program. Without a
// control group, or when the box had to be ended, the end of PID 1 is waited for as
// always.
//
// Three things differ from a box that is made when asked for. What it has of the
// host's files is what was there when it was made. Its stdin, if none is given, is a
// pipe at its end instead of /dev/null. And its group does not bear the run's name.
package jail
