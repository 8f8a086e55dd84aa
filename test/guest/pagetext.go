package main

// The frame of the page.
const (
	pageHead = `# Hosts

What jail enforces on each class of hosts, or how it refuses there, as real kernels
showed it. Generated, so nobody edits it; the last run was

    %s

and the whole of it is "go run ./test/guest -json hosts.json -docs docs/hosts.md", for
hours; -within gives it a limit, and where a suite has no result, "not run" says why.

Each host but one is a real kernel that was booted over a view of the machine's
files, once for root and once for an ordinary user, whose control group was
delegated to it where the host has any, unless the host is one for that. The host
"here" is the machine itself, a virtual one with control groups of version 1 and 2.
Results are from:

`
	hostsHead = `
In the last columns: how all that was run for root, and for an ordinary user, went,
and how long it took, all boots together.

| host | is | kernel | Landlock | root | user |
|---|---|---|---|---|---|
`
	wallsHead = `
## Walls and caps

What enforces each layer in a box that is allowed to go without Landlock and
control groups (` + "`--optional landlock,cgroup`" + `); "—" is a layer that this host does
not have. The last column is the box with all defaults.

Where a box's group is made on version 2: below the group that is named; else below
the caller's own, if that was delegated to it or systemd has no part in it; else in a
scope that the user's systemd or the system's is asked for; else in the own group, if
that can be written to. What was delegated comes before systemd because the caller
has been given that for such a use, and a scope of systemd's would take it out of the
limits around it.

| host, who | namespaces | root | capabilities | landlock | seccomp | cgroup | rlimits | with all defaults |
|---|---|---|---|---|---|---|---|---|
`
	tier2Head = `
## Tier 2

What holds a box without namespaces (` + "`--tier 2`" + `), as doctor ran it. Sockets are
refused in it by the filter, but for connected pairs; --unix gives Unix ones where Landlock
keeps them from others' sockets: from ABI 9 on, of which qemu-7.3 is the host here.

| host, who | capabilities | landlock | seccomp | cgroup | rlimits | with all defaults |
|---|---|---|---|---|---|---|
`
	runsHead = `
## What was run

Up is from start to the first job. The languages are a first script with the
profile: its wall time, or the layer for which it was refused, and then its time in
a box that may go without that layer, by name. The suites are tests that passed,
failed and were skipped, and their time. Emulated processors are slower than real
ones by far. "On qemu-6.1 alone" is said of a class that differs from that one in
something that the suite does not ask for.

| host, who | up | node | python | caps (cgroups) | reasons | Landlock's records (audit) | walls (jail) | attacks (escape) |
|---|---|---|---|---|---|---|---|---|
`
	placesHead = `
## Places that the tests make

On the host "here", or on the one that is named: a container without namespaces, with
Docker's default filter, by its list of calls, and masked files (test/container),
containers of Docker itself (test/docker), something else around jail (test/nested), distributions' file trees (test/shapes:
merged and split are real Debian; fedora-like, alpine-like and nixos-like are fakes of
their layouts, with Debian's files, and alpine-like has real programs of musl's but
stand-ins for python3 and node), releases of
systemd in User-mode Linux (test/systemd), and programs that AppArmor confines
(test/guest/apparmor). What the commands for AppArmor say is of an ordinary user.

| suite | place | rows | what was said |
|---|---|---|---|
`
	documentHead = `
## What doctor says

The document of ` + "`jail doctor --json`" + ` on each host is kept in
cmd/jail/internal/doctor/testdata/hosts, and every run of the guests is compared
with it. There is one for each host and role above, and of a container (suite
container-v2) and below each systemd (User-mode Linux, so without Landlock) for root
and for a user. Two runs of one user's on one host, in the same
folder and with the same TMPDIR, both of which it names, differ in these parts, and in
no other:

`
	skipsHead = `
## What was skipped, and why

The number of tests stands behind each host. Attacks that a kernel lacks what they need
for are named.

`
	pageTail = `
## What was not to be had

- **Landlock ABI 1, 3 to 5 and 8 to 10.** Tried: the kernels of all suites of Debian
  from bullseye to trixie, with security, updates and backports: 5.10 (none), 6.1 (2),
  6.12 (6), 7.3 (11). ABI 7 is that of the host "here".
- **Debian's forky and sid.** Tried: their lists, by an apt of their own. They are past
  their date, which apt refuses, and no check was switched off for them.
- **Ubuntu's, Fedora's, Alpine's and NixOS's kernels and file trees.** The registries
  that are reached here are Debian's, npm's and Go's. Tried: of Ubuntu's kernels by their
  names (linux-image-generic, linux-generic) Debian has none; dnf and nix are packages of
  Debian's, and come without anything to install from; apk is not among them; no package
  of npm's is a root tree of Alpine's. Their layouts of files are made by test/shapes,
  with Debian's programs, and musl's for Alpine's.
- **Ubuntu's restriction of user namespaces**: the sysctl that puts programs without a
  profile under it (kernel.apparmor_restrict_unprivileged_userns) is in no kernel of
  Debian's: 6.12 and 7.3 were searched for its name. That AppArmor keeps namespaces from confined programs is in 6.12 and 7.3,
  and the suite apparmor shows there what the shipped profile lifts, and for whom. What
  remains is the stub in which a namespace is made and nothing may be mounted: doctor's
  answer to that is tested over made-up facts.
- **Kubernetes, and images of others.** Docker itself is run (test/docker), on a tree of
  files that is made on the spot, as no registry of images is reached. Its privileged
  containers can't be started: this machine's root lacks some capabilities, which Docker
  gives them. Podman 4.3 of Debian 12 ends at "cgroups in hybrid mode not supported", as
  the host "here" is. No package of Debian's is a Kubernetes, so test/container makes what
  a pod is to a process (filter, capabilities, masked and read-only files, no user
  namespace).
- **systemd but 247, 252 and 257**, those of Debian 11, 12 and 13: others are in no
  suite that apt accepts here.
- **Hardware support for guests.** /dev/kvm is there, but runs no ordinary guest. So
  everything is emulated, by QEMU or as User-mode Linux, and no time here says how fast
  anything is on real processors.
- **More than one processor in a guest**: with two, QEMU's emulation crashed now and
  then (one boot of 77, counted once; there is no command that counts again). Races between processors are tested on the host "here" alone.
- **Other processors than amd64, as a class of this table.** The code for arm64 is built
  and vetted, and its filters are judged by an interpreter in seccomp's tests. By hand
  Debian's 6.1 for arm64 was booted under QEMU (-M virt), with BusyBox as all there is of
  programs: every wall stands in both tiers by what doctor says (Landlock ABI 2), boxes
  run, are refused memory, time and calls, and the tests of cgroups and of package jail
  that were tried there pass but for those that want other programs than BusyBox's. It is
  no command yet: guests have the machine's own file tree, whose programs are amd64's.
`
)
