package main

const helpEval = `Reads a request from stdin, {"source": TEXT, "input": any JSON}, evaluates the
source in a box, and prints the record of the run with the source's value in it:

  $ echo '{"source":"return input + 1","input":41}' | jail eval --profile node
  {"schema":"jail/1",…,"reason":"ok",…,"value":42}

  node    the body of an async function: input, await and require are in scope
  python  the body of a function, async if it awaits something: input is in
          scope
  sh      a script that finds the input on its stdin; what it writes to stdout
          is the value, and must be JSON
  wasm    as node, behind a second wall: an engine of JavaScript that is a
          WebAssembly module, in an engine of those in the box. There is the
          language, print, console and timers; no require, no files

What Python runs by itself when it starts is left out, since it may come from a
workspace: code in .pth files, sitecustomize, usercustomize.

What is printed is no part of the value, but for the shell. The box ends with
the return: threads, timers and children are not waited for. "reason" is

  ok                the value is in "value"; what returns nothing returns null
  execution_failed  it threw, see "error" with name, message and trace, or it
                    ended itself with another exit code than 0
  invalid_output    no value: it exited by itself, or JSON can't express what it
                    returned (NaN, functions, what contains itself)
  output_too_large  the value, or what was printed, was longer than --output

and otherwise as with ` + "`jail run`" + `. Exit status: that of run; 65 for
invalid_output. A request is UTF-8 and may have 64 MiB, and its input be nested
500 levels deep. That is JSON of which each language makes its own numbers:
those of JavaScript are doubles.
`
