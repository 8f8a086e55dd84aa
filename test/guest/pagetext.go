package main

// The frame of the page.
const (
	pageHead = `# Hosts

What jail enforces on each class of hosts, or how it refuses there, as the
guests of test/guest showed it. Generated; do not edit:

    go run ./test/guest -json hosts.json -docs docs/hosts.md

Each host is a real kernel that was booted over a view of the machine's files,
once for root and once for an ordinary user, whose control group was delegated to
it where the host has any.

`
	wallsHead = `
## Walls and caps

What enforces each layer in a box that is allowed to go without Landlock and
control groups (` + "`--optional landlock,cgroup`" + `); "—" is a layer that this host does
not have. The last column is the box with all defaults.

| host, who | namespaces | root | capabilities | landlock | seccomp | cgroup | rlimits | with all defaults |
|---|---|---|---|---|---|---|---|---|
`
	runsHead = `
## What was run

Up is from start to the first job. The languages are a first script with the
profile: its wall time, or the reason for which there was none. The suites are
tests that passed, failed and were skipped, and their time. Emulated processors
are 10 to 30 times slower than real ones.

| host, who | up | node | python | caps (cgroups) | walls and reasons (jail) | attacks (escape) |
|---|---|---|---|---|---|---|
`
	skipsHead = `
## What was skipped, and why

`
	pageTail = `
## What was not to be had

- Landlock ABI 1, 3 to 5 and 8 to 10: tried were all suites of Debian from bullseye
  to trixie, with security and backports; those after trixie have lists that are
  past their date, which apt refuses. ABI 7 is that of the machines this is built on,
  where all tests run without a guest.
- A processor with hardware support for guests: none on the machines this is
  built on, so everything is emulated.
`
)
