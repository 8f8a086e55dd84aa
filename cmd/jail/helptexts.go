package main

const usageLine = "usage: jail run [FLAGS] [--] CMD [ARG…]\n" +
	"`jail help` says what jail does and lists the other commands.\n"

const helpIntro = `jail runs a program in a box: it sees no file, variable, process, socket or
network that it was not granted, it can't use more than its share, and however
it ends, one record says what happened. No daemon, no image, no root needed.

  jail run --profile node script.js
      a script of unknown origin, with Node.js and nothing else

  jail run --profile python --workspace ./job --timeout 2m -- main.py --fast
      the same with a folder that it may change, and two minutes

  jail run --json --cwd . --ro data.csv --memory 256M -- ./analyze data.csv
      any program, started in this folder and shown two files of it; one JSON
      record on stdout instead of the bare output

Commands:
`

const helpOutro = `
Exit status of ` + "`jail run`" + `:
` + exitTable + `
` + "`jail help run`" + ` lists the flags with their units and defaults. ` + "`jail doctor`" + `
tells whether this host can do all of it. jail does not protect from flaws in
the kernel itself; for that, put it into a virtual machine.
`

const exitTable = `  0-123  the program's own
  124    wall-clock or CPU time was used up
  125    jail refused or failed; nothing ran, or the record or the output could
         not be written
  126    the program is there, but is not executable
  127    the program was not found
  128+n  ended by signal n; also when jail itself was ended by it
  137    the memory cap was hit
  153    the output cap was hit
A program may use these numbers as well: the record's "reason" is the authority.
`

const helpSignals = `
SIGINT, SIGTERM, SIGQUIT and SIGHUP to jail end the whole box by SIGKILL, and
the record says so. One that comes a second later or more ends jail at once,
without a record; so does the first where the box is gone and nobody reads what
jail writes, and one in jail's first milliseconds, before it can hear any. With
--tty the keys for them go to the program.
`

const helpRun = `The program gets an environment of its own (HOME, LANG, PATH and what its
profile sets), an empty stdin, the files of its profile and what the flags
grant. Flags stop at the first word that is none, so that
` + "`jail run --profile node script.js --json`" + ` passes --json on to the script.
A script that is named behind a profile is granted by itself, read-only, with
nothing beside it; -x.js would be an option, so give it as ./-x.js.

A granted file is in the box at its own absolute path. The program starts in
/tmp, in the folder of --workspace, or where --cwd says: --cwd . is the caller's
folder, as far as the grants show it.

Sizes count in 1024: 64K, 512M, 2G. Times are 500ms, 30s, 2m, 1h30m.
`

const helpExplain = `Prints what ` + "`jail run`" + ` with the same flags would do: what the program would see,
which layers would hold it, the limits, and every step in order. It is the very
plan that would run. Nothing is run or created. --json prints it as JSON.

With --why the box is made, and what is named is tried in it, in the place of
the program, which then need not be named. Nothing is changed by it:

  jail explain --why data.csv --workspace job
      whether it is there, and can be read, written and executed
  jail explain --why ptrace
  jail explain --why 127.0.0.1:80 --net loopback
  jail explain --why unix:/tmp/server.sock --unix
      whether the call, the connection is let through

Each access is answered with what the kernel said, the wall that refuses it, and
the flag that would allow it or why none does. --json prints it as JSON (schema
"jail-why/1").
`

const helpDoctor = `Tries each layer in a child process, and at last a whole box. Each answer is
yes, no or unknown, with what the kernel said; a no comes with the remedy.

  --json       print the report as JSON (schema "jail-doctor/1")
  --fix-hints  print only the remedies: commands to read and then run, and
               words behind # where there is none
  --cgroup-parent PATH
               make the box's control group below PATH, as run does

Exit status: 0 if a box with all defaults runs here, 1 if not.
`

const helpProfiles = `  jail profiles             list the profiles: built-in ones and your own
  jail profiles show NAME   print a profile's text
  jail profiles check FILE  check a profile that you wrote; exit status 1 if it
                            has faults

Your own profiles are .toml files in the folder jail/profiles of your
configuration folder ($XDG_CONFIG_HOME, or ~/.config), or anywhere, named by
their path. One that extends another adds to it, or replaces its limits:

  extends = "python"
  description = "Python with a folder of models"
  [view]
  ro = ["~/models", "/srv/data:/data"]   # HOST or HOST:BOX
  [env]
  pass = ["TZ"]
  [limits]
  memory = "2G"
  timeout = "5m"

` + "`jail profiles show`" + ` prints the built-in ones to start from; profiles/doc.go in
the source (go doc ./profiles) explains every key.
`

const helpCompletion = `Prints a completion script for a shell:

  bash  jail completion bash > ~/.local/share/bash-completion/completions/jail
  zsh   jail completion zsh > DIR/_jail   with DIR in $fpath
  fish  jail completion fish > ~/.config/fish/completions/jail.fish
`
