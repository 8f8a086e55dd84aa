// Package attacks is the table of attacks on a box. test/escape carries it out as a
// test, `jail selftest` on the user's own host.
//
// # How to read a row
//
// A row is an attack that somebody once carried out, or could: its name, where
// it is on record (a CVE, an issue of another project, a manual page), the
// attack itself as a Go function, and the walls that stop it. For each row the
// test shows five things, each in a subtest of its own:
//
//   - bare: without a box the attack succeeds. A row whose control fails proves
//     nothing, and is a failure.
//   - boxed: in a box it fails. What counts is the effect: a secret that did
//     not get out, a file of the host that is as it was, a process that lives.
//     An attack that never ran is a failure, too.
//   - ready: the same in a box that a pool had made ahead (jail.Pool).
//   - without …: in a box without exactly the walls of the row it succeeds, so
//     it is those walls that stop it and not some accident of the test.
//   - only …: where a row names several walls, each of them alone stops the
//     attack. So the walls of a row are a list of independent defences, and one
//     of them may fail.
//
// A row whose wall has no switch, because it is the shape of the program and
// not a step of the plan, says so in its why field; its control and its boxed
// run are carried out like all others.
//
// # Who is left out
//
// Rows that somebody cannot carry out are skipped, each with one of the reasons
// of skips.go. A caller has no control group where the host gives none:
// its boxes are run with that layer optional, and the rows on the group's caps
// are left to others. A kernel without Landlock leaves rows to their other
// walls. One reason is a hole that the kernel does not let anybody shut, and is
// marked KNOWN.
//
// # Who is who
//
// Every run has a process of its own that plays the caller of jail: it has the
// secrets, leaks the descriptors and owns the files. The test runs the table
// twice, with root and with an ordinary user as the caller. The attacker is this
// binary again, granted to the box as one read-only file; the row's attack
// function runs in it and prints whether it succeeded. The arena of a run is
// the caller's folder on the host, made anew for every run.
//
// # How to add a row
//
// Write the attack as a func(args []string) error that answers nil when it has
// what it wanted, and put a row with it into the table of its family. If the
// effect can be seen from outside, have the row's arena set effect: it then
// decides, and not the attack's own word. Leave walls empty first and let the
// failures of "without" tell which walls there are.
package attacks
