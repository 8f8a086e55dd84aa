// Package seccomp is the system-call wall of a box: filters that are compiled
// ahead of time, and single rules put in front of them.
//
//	p, err := seccomp.Builtin(seccomp.Default)
//	p, err = p.Prepend(append(seccomp.Loopback(), seccomp.Rule{Syscall: "flock", Action: seccomp.Allow}))
//
// # The policy
//
// It is an allow-list, stated by name with a reason per group in
// internal/policy: allowed.go (carried out), checked.go (carried out with some
// arguments), refused.go (EPERM, or ENOSYS). Together they name every call in
// Linux 7.2's tables for x86-64 and arm64; a test says so. It began as moby's
// default list, from which everything was taken that code in a box has no use
// for.
//
// Four answers, in the order of a filter's questions:
//
//   - another architecture (int 0x80 on x86-64, 32-bit code on arm64) and x32's
//     numbers: the process is killed. They are other tables, in which each
//     number means something else, and nothing honest makes such a call.
//   - allowed: the kernel carries the call out.
//   - known and refused: EPERM.
//   - everything else, numbers that do not exist yet included: ENOSYS. Programs
//     try new calls and fall back on that error, so a box runs on a newer kernel
//     as on an older one. clone3, openat2 and io_uring are answered in the same
//     way, though known, because what they do lies in memory where no filter can
//     see it.
//
// socket answers EAFNOSUPPORT, which programs take as "this kernel is built
// without it".
//
// # Who refuses
//
// A program can be attached as it is, and then the kernel refuses by itself; or,
// Observed, with a listener, to which the kernel puts what is refused and which
// says the same. Both have the same instructions, and allow and kill the same. A
// listener that has gone is answered for by the kernel: ENOSYS.
//
// # Choices that look odd
//
// Arguments are compared by their low word where the kernel's parameter has 32
// bits, as clone's flags or ioctl's command. A compare of all 64 bits can be
// passed by with garbage above (CVE-2019-10063), and a compare that demands
// zeros there breaks programs that leave garbage above, as the ABI lets them.
//
// mkdir, chmod, open and their kin lose setuid and setgid bits. It costs
// `chmod g+s` on directories.
//
// seccomp refuses NEW_LISTENER: of two filters that put a call to a listener the
// newer one's is heard, and it can let the call go on. It costs programs that
// supervise their own children's calls.
//
// RLIMIT_CORE can be read, not set: the supervisor sets it to 1, the one value
// that keeps the kernel from starting the host's core_pattern helper.
//
// PID 1 has the program's uid, so the kernel lets the program slow it down, limit
// it and have signals sent to it, and a box ends when PID 1 gets to run. Every
// call that changes a process which it names refuses 1, and priorities refuse "all
// of a user" (internal/policy/named.go); PID 1's limits cannot be read either.
// Other pids are the program's own. kill is left alone: the kernel drops what
// PID 1 has no handler for. F_SETOWN takes anybody else; F_SETOWN_EX, FIOSETOWN
// and SIOCSPGRP, which say it behind a pointer, are refused. It costs programs
// that ask for SIGIO in one thread.
//
// mmap, memfd_create and shmget refuse the flags of huge pages, because those come
// from a pool of the host's and the memory cap does not count them. It costs
// programs the ones they ask for by flag; transparent ones stay.
//
// fcntl's record locks are allowed, also on read-only grants, because sqlite
// needs them and a filter cannot see which kind of lock is asked for, nor on which
// file. Two things follow for every file that is granted to two boxes, or to a
// box and the host, read-only or not: a read lock makes a writer's lock wait; and
// F_GETLK (sqlite looks with it for a crashed writer's journal) and F_OFD_GETLK
// tell which bytes the other has locked, so that two boxes that both want to can
// pass on bits, a channel of as many bits as the file's offsets, and no names of
// files or processes. Refusing them would not shut it: whether F_SETLK fails
// tells the same. Grant a file to one box only, or a copy to each, where that
// matters. flock is not allowed, and inotify is not, for what they do to such
// grants; a profile can name them.
//
// No profile has Unix sockets of itself, only connected pairs, which is enough
// for child processes of Node and Python's pools by fork and spawn. Python's
// multiprocessing.Manager and its forkserver bind a socket with a name and need
// UnixSockets.
//
// flock's absence makes the JVM print one warning about its hsperfdata file;
// watches' absence makes tail -f poll and Node's fs.watch fail with EPERM.
//
// setsockopt (but for attaching filters) and ioctl (but for four commands of
// terminals) are open: which sockets and devices exist is decided elsewhere.
//
// # How it is compiled
//
// `go generate` compiles the policy with libseccomp and rewrites the result as
// a search over ranges of numbers (internal/ranges), because the kernel reads,
// compiles and walks a whole filter each time it is attached. It makes
// default_amd64.bpf and default_arm64.bpf, which are committed and embedded; a
// test does it again and compares. libseccomp has no "else" for a call:
// arguments that match no rule get the default answer. So the policy's rows are
// turned into conditions that never overlap (internal/policy/cubes.go), and no
// order among them matters. Prepend assembles a handful of instructions itself.
//
// Rewriting changes no answer: both programs are made into decision diagrams,
// which are the same only for the same function of all inputs, and generating
// fails unless they are. As a check of that check, a test runs libseccomp's
// program and ours side by side in a BPF interpreter.
//
// Another test runs both filters in the interpreter over every number, foreign
// architectures and argument rows, against a second statement of the policy in
// plain Go; a third loads one into the kernel.
//
// The package imports nothing that costs time at start, and compiles nothing
// there.
package seccomp
