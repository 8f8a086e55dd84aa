// The program systemd boots a real systemd in User-mode Linux and runs jail
// below it, as people do who log in to a machine:
//
//	go run ./test/guest -fetch -hosts uml-6.1   once, for the kernel
//	go run ./test/systemd                       half a minute, the first time two
//	go run ./test/systemd -debian trixie        the same with another systemd
//	go run ./test/systemd -debian bullseye      and one that hands no cpu to users
//
// It proves what the unit tests of package cgroups can't: that the manager of
// the system and those of users, reached by their own sockets and by a bus,
// give a scope whose caps hold and of which nothing is left.
//
// The guest's root is a release of Debian with systemd, dbus and libpam-systemd,
// made by debootstrap into the user's cache folder; delete jail-guest/systemd-…
// there to have a newer one. A guest writes to a layer in memory above it, from a mount
// namespace in which all else of the host is read-only. The rows are in
// test/systemd/inside, which is a service of the guest's. The kernel has no
// Landlock, so all boxes there go without, by name.
//
// It exits with 1 if a row failed, and with 2 if the guest did not get to its end.
package main
