// The program guest boots real kernels and runs jail's own tests in them:
//
//	go run ./test/guest -list                    hosts and suites
//	go run ./test/guest                          everything, for hours
//	go run ./test/guest -hosts qemu-6.1:root,qemu-6.12:user -suites cgroups,escape
//	go run ./test/guest -hosts qemu-7.3 -roles user -suites jail -run TestReasonsForReal -v
//	go run ./test/guest -without programs -within 60m -json hosts.json -docs docs/hosts.md
//	go run ./test/guest -roles root -suites programs -json programs.json
//	go run ./test/guest -suites doctor -update   keep what doctor says from now on
//
// It exits with 1 if a test failed or a guest did not get to its end, and lists
// every test that was skipped. It is run as root, and needs git, go,
// qemu-system-x86, mke2fs, xz and Debian's package sources; no /dev/kvm.
//
// # A host
//
// What is called a host is a kernel and what can differ on hosts that run it:
// how control groups are mounted, and which security modules there are. Each
// is booted twice, and everything is run once as root and once as an ordinary
// user, to whom a group was delegated as systemd does. The host "here" is no guest
// but this machine, where the suites are run that make their own places, too.
//
// What jail doctor --json says on a guest is compared with the document of that host
// in cmd/jail/internal/doctor/testdata/hosts.
//
// # Where kernels come from
//
// They are Debian's packages, fetched when they are first needed from the mirror
// that this machine's apt is set up with, by an apt with a configuration of its
// own, and kept below the user's cache folder. Delete jail-guest there to have
// newer ones.
//
// # What a guest is
//
// The kernel is started by QEMU in software, or is a program itself (User-mode
// Linux). Its initial file system holds PID 1, which is test/guest/init, the
// kernel's modules, and the order: the list of what to run. PID 1 mounts the
// host's whole file tree with a writable layer in memory above it, so that node,
// python3 and the tests' own binaries are at hand, built once on the host. The
// host's side gives the guest that tree from a mount namespace in which all of it
// is read-only. /tmp and /var/tmp are ext4 on a disk in memory, as mounts can't
// be idmapped on overlayfs.
//
// Events come back as lines of JSON over one serial port. A guest that does not
// come up is tried three times: software emulation fails once in a hundred boots.
// Whatever happens after that is a result.
//
// # Time
//
// Emulated processors are 10 to 30 times slower than the machine's own. Limits
// of time are longer by a factor, and tests are told of it in
// JAIL_TEST_SLOWNESS. Two guests run side by side.
//
// What says most for its time is run first: this machine and its places, the short
// suites on every host, the attacks as an ordinary user and as root, the walls
// likewise, and the programs last. Each of these stages is a boot of its own. What -within leaves no
// time for is recorded as not run, and the page says so in its place; no test failed
// by that.
package main
