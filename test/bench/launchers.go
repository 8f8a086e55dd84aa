package main

import (
	"os"
	"strconv"
)

// A launcher is one program that can be compared. command is where its options
// stand: as strong as it offers for a program of /usr that needs no network,
// with jail's own filter where it takes one, and jail's limits where it has
// such. A weaker option makes a faster box that nobody asked for.
type launcher struct {
	name    string
	program string   // looked up in PATH; empty: nothing is needed
	debian  string   // the package that has it; empty: only by -peer
	version []string // arguments that make it tell its version
	lacks   string   // of what jail does in the same run; options are named that it has and refuses here
	slow    bool     // many times the others' cost: shorter bursts, no mass tables
	prepare func(*bench, *launcher) error
	command func(b *bench, path string, j job) (command, error)

	path   string // where it was found
	given  bool   // by -peer
	in     *place // the mount namespace it has to be started in, or nil
	inNote string // why
}

// launchers is everything that can be compared, in the order of the tables.
// What has a name of its own for -peer is the part before " + ".
func launchers() []launcher {
	const noCaps = "no caps on memory, processor, processes, output or time; no Landlock; no record"
	return []launcher{
		{name: bare, lacks: "everything", command: bareCommand},
		{name: "C floor", program: "floor", lacks: "no filter; " + noCaps, command: floorCommand},
		{name: floorRule, program: "floor", lacks: noCaps, command: floorFiltered},
		{name: "bubblewrap", program: "bwrap", debian: "bubblewrap", version: []string{"--version"}, lacks: "no filter; " + noCaps, command: bubbleCommand},
		{name: bubbleRule, program: "bwrap", debian: "bubblewrap", version: []string{"--version"}, lacks: noCaps, command: bubbleFiltered},
		{name: "minijail", program: "minijail0", lacks: "no caps on memory, processor and processes (joins groups that others made), output or time; Landlock for files only; no record", prepare: needRoot, command: minijailCommand},
		{name: "nsjail", program: "nsjail", lacks: "the filter has no checks of arguments; no caps on memory, processor and processes of the whole box (its groups need parents made by others); no output cap; no Landlock; no record", command: nsjailCommand},
		{name: "isolate", program: "isolate", version: []string{"--version"}, lacks: "no user, uts and cgroup namespace, bounding set kept, a filter of a few calls; no caps on the whole box's memory and processor (needs cgroup v2), none on output; no Landlock; a record, if asked. Its box is made before and used again: only --run is measured", prepare: prepareIsolate, command: isolateCommand},
		{name: "crun", program: "crun", debian: "crun", version: []string{"--version"}, lacks: "no caps on output and time; no Landlock; no record; the rootfs and config.json are made before", prepare: prepareCrun, command: ociCommand("crun")},
		{name: "firejail", program: "firejail", debian: "firejail", version: []string{"--version"}, lacks: "no user and cgroup namespace, the host's root instead of one of its own, its own lists of refused calls; no caps on memory, processor, output and time (its --timeout has every run take two seconds); no Landlock; no record", slow: true, prepare: needRoot, command: firejailCommand},
		{name: "runc", program: "runc", debian: "runc", version: []string{"--version"}, lacks: "the filter has no checks of arguments; no caps on output and time; no Landlock; no record; the rootfs and config.json are made before", slow: true, prepare: needRoot, command: ociCommand("runc")},
		{name: "runsc", program: "runsc", debian: "runsc", version: []string{"--version"}, lacks: "no caps at all (--ignore-cgroups); no record. Another kernel answers the program, which is a wall that jail has not", slow: true, prepare: needRoot, command: ociCommand("runsc")},
		{name: jailName, program: "jail", command: jailCommand},
	}
}

func bareCommand(_ *bench, _ string, j job) (command, error) { return command{argv: j.argv}, nil }

// The limits of `jail run` without flags, for those who have such options.
const (
	memoryBytes = 512 << 20
	processes   = 128
	openFiles   = 1024
	fileBytes   = 1 << 30
	wallSeconds = 30
)

// jailCommand is `jail run` with everything on and its record appended to a file.
func jailCommand(b *bench, path string, j job) (command, error) {
	argv := concat([]string{path, "run", "-q", "--record", "fd:3"}, j.flags)
	if j.profile != "" {
		argv = concat(argv, []string{"--profile", j.profile}, j.argv[1:])
	} else {
		argv = concat(argv, each("--ro", j.show), []string{"--"}, j.argv)
	}
	return command{argv: argv, third: b.record, flags: os.O_WRONLY | os.O_APPEND | os.O_CREATE, wantsWord: true}, nil
}

func floorCommand(_ *bench, path string, j job) (command, error) {
	return command{argv: concat([]string{path}, each("-r", j.show), j.argv)}, nil
}

func floorFiltered(b *bench, path string, j job) (command, error) {
	return command{argv: concat([]string{path, "-f", b.filter}, each("-r", j.show), j.argv)}, nil
}

func bubbleCommand(_ *bench, path string, j job) (command, error) {
	return command{argv: concat([]string{path}, bubbleOptions(), pairs("--ro-bind", j.show), []string{"--"}, j.argv)}, nil
}

func bubbleFiltered(b *bench, path string, j job) (command, error) {
	return command{argv: concat([]string{path}, bubbleOptions(), pairs("--ro-bind", j.show), []string{"--seccomp", "3", "--"}, j.argv),
		third: b.filter, flags: os.O_RDONLY}, nil
}

// bubbleOptions is bubblewrap at its strongest that still runs a program of
// /usr: every namespace, a new root that is read-only /usr and the links into
// it, no capabilities, nothing of the environment.
func bubbleOptions() []string {
	o := []string{"--unshare-user", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--uid", "1000", "--gid", "1000", "--hostname", "jail", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--ro-bind", "/usr", "/usr"}
	for _, name := range systemFolders() {
		if target, err := os.Readlink(name); err == nil {
			o = append(o, "--symlink", target, name)
		} else if _, err := os.Stat(name); err == nil {
			o = append(o, "--ro-bind", name, name)
		}
	}
	return append(o, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp")
}

// systemFolders lie beside /usr, and are links into it on a merged system.
func systemFolders() []string { return []string{"/bin", "/sbin", "/lib", "/lib64"} }

// each is flag and path for each of the paths.
func each(flag string, paths []string) (words []string) {
	for _, p := range paths {
		words = append(words, flag, p)
	}
	return words
}

// pairs is flag, path outside and the same path inside.
func pairs(flag string, paths []string) (words []string) {
	for _, p := range paths {
		words = append(words, flag, p, p)
	}
	return words
}

func concat(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func itoa(n int) string { return strconv.Itoa(n) }
