// Package pid1 is PID 1 of a box from outside: its image, and how it is started.
//
// PID 1 is a small freestanding C program (init/init.c) that is executed from a
// sealed memfd, so nothing of the caller's memory is in it. It is started in two
// steps, since the kernel needs most of a millisecond to make the namespaces: a
// first process, the starter, clones PID 1 into them as a child of the
// supervisor, says which pid it has and is gone. The supervisor does something
// else meanwhile.
//
// A program whose entry point is jail_entry (go build -ldflags="-E jail_entry")
// and whose first argument is "run" starts the starter before the Go runtime
// starts, which takes as long again: [TakeEarly] hands it over. In any other
// program there is none, and [Start] is the way.
package pid1

//go:generate ./init/build.sh
