// Package engine runs WebAssembly in a box: the second wall of the profile wasm.
//
// `jail run --profile wasm MODULE` starts this package's [Main] in the box, as the
// program of it. The launcher has decided by then what the module may do; it stands in
// the arguments, in front of a "--" that what the caller or the module's arguments say
// comes behind:
//
//	jaild wasm --memory=BYTES --timeout=TIME [--cwd=DIR] [--ro=PATH…] [--rw=PATH…] --
//	      [--interpreter] MODULE [ARG…] | --javascript
//
// # What a module gets
//
// WASI preview 1, and no other import. Its arguments; the environment of the box, which
// is what was granted; the three standard streams; clocks and random numbers; and files:
// each granted folder is a preopened folder by the path that it has in the box, the
// folder that it starts in as "." besides. Of a granted file the folder around it is
// preopened, in which there is nothing else. Nothing else of the box can be named: not
// its /tmp, /proc or /dev. There are no sockets, processes, signals or threads.
//
// Which grant a path belongs to is decided here, by its text, and within a grant no
// symbolic link leads out of it (os.Root). Only regular files and folders are opened.
// The box around it grants the same again, by mounts and Landlock.
//
// # Limits
//
// Memory.grow fails, for the module to see, past what the box's cap leaves beside what
// the engine itself takes. QuickJS gets 1 MiB more once it has been refused some, to make an
// error of that. The deadline here is later than the box's by a second: the
// supervisor, whose record says timeout, is to be first.
//
// # Ends
//
// The exit status is the module's own, 255 for what is more than that; 134 after a trap;
// 126 for what is no module that can run here; 124 at this deadline; 125 for a failure
// of the engine's own, or 2 where Go's runtime ends it, for want of memory. What went wrong is told on stderr, and as an answer of package
// runner on descriptor 3 where jail takes one there; that a module which fails by itself was
// refused memory before, there alone.
package engine
