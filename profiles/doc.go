// Package profiles turns a profile, a command and flags into a [jail.Spec].
//
// A profile is a TOML file. Six are built in: base, sh, node, python, wasm, exec;
// the others are the user's, named by path or lying in
// $XDG_CONFIG_HOME/jail/profiles (else ~/.config/jail/profiles). Decoding is
// strict: an unknown key, a value of a wrong type or one that is not possible
// is a fault with file, line, key, value and what is accepted, and all faults
// are reported at once.
//
// # The format
//
//	extends = "base"           # a profile's name or path, relative to this file
//	description = "one line"
//	optional = ["landlock"]    # layers that may be missing
//	require = ["landlock>=6", "kernel>=6.1", "cgroup>=2"]
//
//	[run]
//	interpreter = ["python3", "python"]  # looked up in the caller's PATH
//	args = ["-I"]              # put before the caller's own
//	grant = "script"           # none, script, or program
//	code = ["-c", "-m"]        # options after which no script follows
//	value = ["-W", "-X"]       # options that take the next argument
//	cluster = true             # -uc means -u -c
//	heap = "none"              # or v8: its heap limit follows the memory cap
//	engine = "none"            # or wasm: it is told its limits and grants
//
//	[view]
//	system = ["/usr"]          # parts of the system, left out if missing
//	ro = ["/opt/data:/data"]   # HOST or HOST:BOX; ~/ is the caller's home
//	rw = ["~/out"]
//	tmpfs = ["/scratch:64M"]
//
//	[view.files]               # made-up files
//	"/etc/hosts" = "127.0.0.1 localhost\n"
//
//	[env]
//	set = { TZ = "UTC" }
//	pass = ["TERM"]            # from the caller, where it is set
//
//	[limits]
//	timeout = "30s"
//	cpu_time = "30s"
//	idle_timeout = "5m"        # nothing read or written for that long; none if left out
//	memory = "512M"
//	cpus = 1
//	pids = 128
//	output = "1M"              # or unlimited
//	output_mode = "kill"       # or truncate
//	tmp_size = "64M"
//	nofile = 1024
//	file_size = "1G"
//
//	[net]
//	mode = "none"              # or loopback
//	unix = false
//
//	[seccomp]
//	policy = "default"
//	allow = []
//	deny = []
//
// A profile that extends another adds to its lists of grants, layers, calls
// and variables, and replaces everything else that it names. Nothing can be
// taken away from a parent: a profile that wants less extends less.
//
// # What is granted without being asked for
//
// The interpreter's own files, read-only: nothing when it is a part of the
// system, else its installation prefix (a pyenv or nvm version's folder, a
// virtual environment and the Python it was made from), else the program alone.
// Shims are followed to the program that they would start, by reading files;
// nothing is run. Under the profile exec a shim is a fault, unless a grant shows
// something of what it starts. With
// [Overrides.OwnInterpreter], as `jail run` has it, a .venv in the workspace comes before
// the caller's PATH for Python; without it, an interpreter that the box can change, or a
// part of it other than its packages, is a fault, and a file that chooses a version, such as
// .python-version, chooses none where the box may write to it.
//
// The script that an interpreter's profile is given, or the program file of
// the profile exec: that one file, read-only, at its own absolute path, with
// nothing beside it, and only when no other grant shows it anyway. The
// argument becomes that absolute path, so no name of a file can be taken for
// an option. A relative path means the box's working directory first, where
// --workspace or --cwd asked for one and a grant shows such a file there, and
// the caller's working directory otherwise.
//
// A program file that is granted by itself brings the shared libraries along
// that its DT_RPATH or DT_RUNPATH leads to, one by one, and its own loader, as
// far as they lie below its own folder, or below the prefix around a bin. What
// it names elsewhere, if the system does not have it, is a fault that says what
// to grant; nobody looks whether it is there.
//
// No folder is granted as a whole for a program's sake that is a home, holds
// one, or lies right below /. The user database says what is a home, HOME only
// adds to it. A link leads only to a program of the same name, a version aside,
// and a virtual environment only to an installation of Python.
//
// The engine of WebAssembly, which runs in the box of the profile wasm, is jail's own
// companion: the one beside the program that runs, else the one in PATH, that file alone.
// By run.engine it is told the memory and the time of the plan, and as its folders and
// files what was granted: ro, rw and tmpfs of the profile and the flags, and a workspace.
//
// # What is never granted by it
//
// A symbolic link was perhaps left behind by an earlier run, which wrote where
// it was allowed to. So a path that the caller names, for a grant, a workspace,
// a script, a program, or a file that jail itself opens ([Host.RealPath]), must
// not lead through one: that is a fault, which names the link and the path to
// give instead. The exception is a link of root's in /, /etc, /home, /opt, /usr
// or /var, right in that folder, where only root may write to it: /bin,
// /var/run, or a /home that is elsewhere. Those folders are never granted
// writable, whoever calls; what lies below them may be. A link to what the box
// sees anyway, such as a program of the system's, gives nothing away and counts
// as well.
//
// For the same reason an interpreter or a virtual environment in a writable
// grant never adds a grant that the caller's PATH or a version manager's own
// folder does not lead to as well, and a writable grant must not hold the run's
// profile or the folder of the user's profiles.
//
// Sources of grants are real paths, free of symbolic links when they were
// looked at. Package jail opens them without following any, so that nothing can
// be put in their place meanwhile.
package profiles
