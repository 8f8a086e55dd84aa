// Package runner evaluates a source in a box and returns its value.
//
//	profile, err := profiles.Load("node", host)
//	request := runner.Request{Source: "return input.a + 1", Input: []byte(`{"a":41}`)}
//	spec, err := profile.Spec(runner.Node.Command(request), profiles.Overrides{}, host)
//	result, err := runner.Eval(ctx, spec, runner.Node, request)
//	// result.Reason, result.Value, result.Error
//
// The language's own small runner is started in the box by the profile's
// interpreter, reads the source and the input from its stdin, runs the source and
// writes what came of it to a descriptor of its own, which output is not. With it
// goes a number that nobody but the runner has been told: what is written there by
// children, or by whoever else is handed the descriptor, makes the answer
// invalid_output, and so does a second answer. The source itself shares its process
// with the runner and can answer as it likes; it could as well return that. What it
// replaces (prototypes, builtins, modules) changes its value and nobody else's. That of
// [Wasm] does not: its answer is written by the engine, outside of the module's memory.
//
// What the source starts can end the runner, which is no value, but not answer for it,
// unless the source runs what it is sent: processes of a box can open each other's pipes
// through /proc, so what comes over one as a pickle (multiprocessing with the start method
// spawn, and a subprocess beside it that is not to be trusted) may be from any of them.
// The descriptor is a socket, which can't be opened through /proc/PID/fd (open(2),
// ENXIO), and it is not inherited. The filter refuses ptrace, process_vm_writev and
// pidfd_getfd, and nobody can write to /proc/PID/mem. The runner's process is not
// dumpable either (prctl(2), PR_SET_DUMPABLE), so that its children can't read its
// memory, its descriptors and its environment, and in tier 1 don't find it in /proc at
// all; for the source that means that parts of
// /proc/self belong to root (environ, io, auxv). Where this can't be had (a Python
// without _ctypes, a Node.js without dlopen or with a full or noexec TMPDIR), children
// can read there what the source was given and the number, but have nowhere to write
// it: that is left to the walls before.
//
// What earlier evaluations left in a workspace is not taken for a part of the language.
// An interpreter that the box can change is refused, and what there could choose one is not
// looked at, unless profiles.Overrides.OwnInterpreter says otherwise.
// Python starts with its library alone, and the runner is made of that. Then come the
// folder in which it starts, those of PYTHONPATH, packages, and the folders that .pth files
// name. It looks for modules that have a name of its library's in none of these that an
// evaluation may have written to, and for others there only after the library: a
// traceback.py there is not imported. What the library's own code asks for besides, such as
// the org of other Pythons in copy, is found in no folder but the library's. From Python 3.11 on PYTHONSAFEPATH keeps
// the folder away until the runner has begun, which takes that variable off;
// sys.flags.safe_path tells of it.
// (Before Python 3.10, which has no list of these names, a source that imports by itself
// what the library lacks, such as msvcrt, gets it from there.) Of Node.js's own modules nothing
// ever comes from a folder, and a shell's PATH has none that can be written to. Nor are lines
// of the source that Python quotes taken from a file there: where it looks for one, the
// source is called source.py/, as no file can be, and error has source.py for it. What the
// source itself compiles is called as it says: a file called <string> may be quoted for that.
// What a
// source imports besides is its own choice: a helper.py or node_modules that an earlier
// evaluation has changed is what it gets, as with any program. Other variables that name
// code, such as LD_PRELOAD and NODE_OPTIONS, do what they do: who sets one for a box means
// what it names.
//
// Nothing therefore runs that Python would run at its start, wherever it lies: no code in
// .pth files, no sitecustomize, no usercustomize. Of an editable install that is a
// .pth file with a folder's path is as good as ever; for one that is code (setuptools has
// those for projects without a src) put the folder into PYTHONPATH. PYTHONHOME,
// PYTHONPLATLIBDIR and PYTHONPYCACHEPREFIX are not heeded, and are there for what the source
// starts. sys.flags.no_site is 1, and -E in a profile's run.args is taken for -I, which keeps
// the folder away altogether.
//
// # Sources
//
// [Node]: the body of an async function, sloppy mode; input, await, require and
// import() (from Node.js 20.12 on) are in scope; static import is a syntax error.
// [Python] (3.8 or later): the body of a function, an async one if it awaits
// something itself; input is in scope; a coroutine that is returned is awaited;
// imports from __future__ may stand first. __name__ is "__main__". [Wasm]: as [Node], in
// QuickJS, which is a WebAssembly module in the engine of cmd/jaild: with the language's
// own objects, print, console, setTimeout, setInterval and what clears them; without
// require, import, process and files. [Sh]: a script that finds the input on its stdin, if there
// is one, with a newline behind it, and whose stdout is the value.
//
// A byte order mark is taken off, and a first line that begins with #! is a comment.
// Line ends may be CRLF; for the shell they are made LF. Line numbers in errors are
// the source's, which is called source.js or source.py. Refused before anything
// exists: sources that are not UTF-8, that hold NUL or half a surrogate pair, for the
// shell those of more than 128 KiB, and source and input of more than [MaxRequest]
// bytes together. An input must be one JSON document, nested no deeper than
// [MaxDepth]. Node.js makes doubles of its numbers, Python of those with a point or
// an exponent only: its integers have all their digits, however many there are.
//
// # Values
//
//	nothing returned, undefined, None      null
//	NaN, Infinity, an invalid date         invalid_output
//	BigInt, int                            a number with all its digits
//	numbers beyond 1.8e308 in size         invalid_output: many readers of JSON, Go's and
//	                                       Python's among them, refuse the document then
//	Date, datetime, date, time             a string, as toISOString and isoformat have it
//	Uint8Array, Buffer, ArrayBuffer,
//	DataView, bytes, bytearray, memoryview a string, base64
//	other typed arrays                     an array of numbers
//	Set, set, tuple, range                 an array
//	Map, dict                              an object; keys are strings or numbers (Python:
//	                                       integers), and no two become the same
//	instances of classes (Node.js)         their own enumerable members, or what toJSON returns
//	dataclasses, enumerations (Python)     an object of the fields, the member's value
//	undefined in an array, in an object    null, left out
//	functions, symbols, errors, promises,
//	iterators, other objects of Python     invalid_output
//	what contains itself, or is nested
//	deeper than MaxDepth                   invalid_output
//	half a surrogate pair in a string      invalid_output: many readers of JSON refuse the
//	                                       document then
//	more than Limits.Output bytes, with    output_too_large; so is a thrown error that
//	the 60 or so that go around it         does not fit
//	what Limits.Output would take, and     invalid_output
//	Node.js has no string for (2^29 − 24
//	characters of JSON)
//
// The message of invalid_output says where in the value it is: value["a"][3] is NaN.
// For the shell it is what is no JSON document, or more than one, or not UTF-8; its
// output then stays in Stdout.
//
// # Ends
//
// The box ends with the return: timers, threads and children are not waited for,
// process.on("exit") and atexit do not run; what was printed is not lost. stdin is
// empty for the source.
//
// What is thrown makes execution_failed, exit code 1, with Error: name, message and
// trace, and in the trace what led to the error (cause, errors). What is no error has the
// kind of it for a name (number, object) and its text for a message. Frames of the runner
// are in neither. A stack that the source prints has none of them either, but for what is
// called while its value is read (getters, toJSON), for timers of [Wasm], and in Python for
// what lists the frames that run at the moment, such as traceback.print_stack. Syntax errors end so as well, for
// Node.js also errors in the background that nobody handles; Python only logs those,
// as it always does. A program that exits by itself has no value: with exit code 0
// that is invalid_output, else execution_failed, for sys.exit with Error. A source that
// closes descriptors it has not opened, and with them that of its value (closerange), has
// none either: that is invalid_output, or execution_failed if it throws, and what there is
// to tell goes to stderr. A source of
// Node.js that waits for what can't come any more, since nothing is left to run, ends
// with exit code 13 and the error UnsettledPromise; Python waits until the timeout.
// [Wasm] does as Node.js, and has nothing to exit by. Its memory is used up at --memory
// less what the engine takes, and from 40 MiB on that is before the kernel's cap is reached, but for a source of some 50 MiB
// or more, which can need the default memory for itself before it has begun (the reason is
// out_of_memory then, or timeout, since that takes some 20 s):
// what it does then throws InternalError, "out of memory", which it can catch as any error,
// and ends with if it does not: out_of_memory, with that error. If it catches that and fills what is left, null is thrown,
// for an error takes memory too; it ends with the same InternalError then, for null or for
// what could not settle. A trap of the engine's is exit code 134 with the error Trap. Of a
// shell there is the exit code and what it wrote to stderr.
//
// A Node.js whose heap is full ends itself by SIGABRT before the memory cap ends it. That
// is out_of_memory as well, by its own words on stderr: a source that says and does the
// same without a full heap has it, too, in the place of signaled, and one that closes
// stderr has signaled, with a hint if it had much of its memory: nothing else tells. A worker
// whose heap is full is ended alone, and what waits for it is thrown an error: a source that
// does not catch that is out_of_memory if it had much of its memory.
package runner
