// Package bus speaks as much D-Bus as one request to systemd needs: a
// connection over a Unix socket, method calls out, replies and signals in, and
// one deadline for everything.
//
// It is written to the D-Bus Specification 0.43. A library was measured first:
// with github.com/godbus/dbus/v5 in it, an empty program takes 0.2 to 0.4 ms
// longer to start (the package net alone makes up most of that), on every run,
// also of those that ask systemd for nothing.
//
// Only little-endian messages are read: a peer on this machine writes in the
// machine's own order, and jail runs on amd64 and arm64.
package bus
