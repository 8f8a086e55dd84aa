package main

const helpLearn = `Runs a program in a watching box, once or several times, and writes a profile
of the least that these runs needed: files and folders, network, system calls
beyond the policy, and limits with headroom. It goes to standard output, or with
--out into a file; the program's own output goes to standard error.

The watching box is a box with all its walls. It shows the part of the
operating system that every box has, what --profile says, and the folder that
you are in, writable; or, with --workspace, --ro or --rw, only what these name.
Never your home as a whole. It has a loopback of its own, locks of whole files
(flock) and wide limits (2G of memory, 1024 processes, 5m), and is traced, which
slows the program down; --allow-syscall, --unix and other flags of run widen it.
What it refuses is not granted: it stands in the profile as a comment, with what
would allow it, and on stderr if the run failed. Holes in its grants (--ro and
--tmpfs in a folder that is granted), calls that are denied and lower limits are
in the profile as well, and what it had read-only is never writable: the profile
is never wider. It is not used until you name it.

Read-only in the folder that you are in is what tells programs of yours what to
do outside of any box, at whatever depth: hooks and config of git repositories
(also where core.hooksPath says), node_modules, site-packages, virtual
environments, .envrc, .husky, .github, .hg and what editors have (.vscode,
.idea, .devcontainer). --workspace . has all of it writable. Not kept back are
other names than these, more than 64 such places, a link in the place of one,
and what is not there: of all but the first stderr tells, of what the program
made after the run.

A folder that was listed shows names, and a grant of names opens what they
name. So it runs once more without those that were merely listed, writing to
copies. They are granted if it then ends otherwise, is refused something, or
says, writes or leaves anything else than it does with them: held against what
it did when it was watched, and against a run with the names on copies. Where
these differ by themselves, as by times and random names, two runs with the
names and one without say what does not; in doubt a folder is granted, but for
one that may hold keys, which is left out. The comment says which it was, and
which keys are opened. A link or a socket takes the folder that holds it, two
folders between which something was moved the one around both. With --stdin a
filter has its input: from a file in each run, or from a pipe if there is one
run.

  jail learn --profile python --out ~/.config/jail/profiles/job.toml -- job.py
      learn it; what the script used of this folder is in the profile
  jail learn --check job --profile python -- job.py
      run it in a watching box and then with the profile enforced, and say what
      differs: the end, the exit code, what is refused or not there, what is
      not written on the host any more; and what it says or writes, as far as
      that is the same each time in the watching box, where it runs once more
  jail run --profile job --cwd . -- job.py

A profile does not lie in a folder that the program may write to: it could write
one of its own.

Exit status: 0 if all runs ended well (with --check: if nothing differs), 1 if
not, 125 if there was no run.
`
