package main

import (
	"slices"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// Headings of the flags in `jail help run`, in the order in which they appear.
const (
	groupProgram = "What runs"
	groupFiles   = "What it may see"
	groupInput   = "What goes in"
	groupLimits  = "What it may use"
	groupReach   = "What it may reach"
	groupLayers  = "What the host must enforce"
	groupResult  = "What comes out"
)

const (
	acceptSize   = "a number of bytes, or of KiB, MiB or GiB with K, M or G behind it, such as 256M"
	acceptTime   = "a number with its unit, such as 500ms, 30s or 1m30s"
	acceptCount  = "a whole number"
	acceptGrant  = "HOST or HOST:BOX; HOST exists, BOX is where the program finds it"
	acceptCall   = "a system call as the kernel spells it"
	acceptParent = "a path relative to the cgroup mount; on version 1 the same in the hierarchies pids, memory, cpu and cpuacct"
)

// runFlags are the flags of `jail run` and `jail explain`.
func runFlags() []flagDef {
	return slices.Concat(programFlags(), fileFlags(), inputFlags(), limitFlags(),
		reachFlags(), layerFlags(), resultFlags(), helpOnly())
}

func programFlags() []flagDef {
	return []flagDef{
		{name: "profile", value: "NAME|FILE", group: groupProgram, words: wordProfile,
			usage:  "what kind of program it is; `jail profiles` lists them",
			accept: "the name of a profile or the path of a .toml file", preset: defaultProfile,
			set: parsed(asIs[string], func(o *options) *string { return &o.profile })},
		{name: "name", value: "LABEL", group: groupProgram, field: "name",
			usage:  "a label for the record and the cgroup",
			accept: "at most 64 letters, digits, '.', '_' and '-'",
			set:    parsed(asIs[string], func(o *options) *string { return &o.over.Name })},
		{name: "cwd", value: "DIR", group: groupProgram, field: "dir", words: wordDir,
			usage:  "where the program starts; relative to --workspace if there is one, else to the caller's folder",
			accept: "a folder that the program can see", preset: "/tmp",
			set: parsed(asIs[string], func(o *options) *string { return &o.over.Cwd })},
		{name: "hostname", value: "NAME", group: groupProgram, field: "hostname",
			usage:  "host name in the box",
			accept: "at most 64 letters, digits, '.', '_' and '-'", preset: "jail",
			set: parsed(asIs[string], func(o *options) *string { return &o.hostname })},
		{name: "via", value: "SOCKET", group: groupProgram, words: wordFile,
			usage:  "have the server at SOCKET (`jail serve`) run it, in a box that is ready if it has one of the kind",
			accept: "the path of the socket of `jail serve`",
			set:    parsed(asIs[string], func(o *options) *string { return &o.via })},
	}
}

func fileFlags() []flagDef {
	return []flagDef{
		{name: "ro", value: "HOST[:BOX]", many: true, group: groupFiles, words: wordFile,
			usage: "show a file or folder, read-only", accept: acceptGrant,
			set: added(profiles.ParseGrant, func(o *options) *[]profiles.Grant { return &o.over.RO })},
		{name: "rw", value: "HOST[:BOX]", many: true, group: groupFiles, words: wordFile,
			usage: "show a file or folder, writable", accept: acceptGrant,
			set: added(profiles.ParseGrant, func(o *options) *[]profiles.Grant { return &o.over.RW })},
		{name: "workspace", value: "DIR", group: groupFiles, words: wordDir,
			usage:  "show a folder, writable, and start in it",
			accept: "a folder that exists",
			set:    parsed(asIs[string], func(o *options) *string { return &o.over.Workspace })},
		{name: "tmpfs", value: "BOX[:SIZE]", many: true, group: groupFiles,
			usage:  "an empty private folder in memory",
			accept: "an absolute path inside the box, and perhaps a size",
			set:    added(profiles.ParseTmpfs, func(o *options) *[]profiles.Tmpfs { return &o.over.Tmpfs })},
	}
}

func inputFlags() []flagDef {
	return []flagDef{
		{name: "env", value: "KEY=VALUE", many: true, group: groupInput, field: "env",
			usage: "set an environment variable", accept: "KEY=VALUE, each KEY once",
			set: added(asIs[string], func(o *options) *[]string { return &o.over.Env })},
		{name: "pass-env", value: "KEY", many: true, group: groupInput, words: wordEnv,
			usage: "pass a variable of jail's own environment on", accept: "the name of a variable that is set",
			set: added(asIs[string], func(o *options) *[]string { return &o.over.PassEnv })},
		{name: "stdin", value: "-|FILE|fd:N", group: groupInput, words: wordFile,
			usage: "standard input: jail's own, a file, or a descriptor that is open", accept: "-, a readable file, or fd:N for a descriptor that is open", preset: "/dev/null",
			set: parsed(asIs[string], func(o *options) *string { return &o.stdin })},
		{name: "tty", group: groupInput,
			usage: "give the program a terminal of its own, joined to this one, and TERM",
			set:   on(func(o *options) *bool { return &o.tty })},
	}
}

func limitFlags() []flagDef {
	return []flagDef{
		{name: "timeout", value: "TIME", group: groupLimits, field: "limits.timeout",
			usage: "wall-clock time", accept: acceptTime, preset: "30s",
			set: parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.over.Limits.Timeout })},
		{name: "idle-timeout", value: "TIME", group: groupLimits, field: "limits.idle_timeout",
			usage: "how long nothing may be read from stdin or written", accept: acceptTime,
			set: parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.over.Limits.IdleTimeout })},
		{name: "cpu-time", value: "TIME", group: groupLimits, field: "limits.cpu_time",
			usage: "processor time of all processes together", accept: acceptTime, preset: "timeout × cpus",
			set: parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.over.Limits.CPUTime })},
		{name: "cpus", value: "N", group: groupLimits, field: "limits.cpus",
			usage: "processors, also in part", accept: "a number such as 0.5 or 2", preset: "1",
			set: parsed(profiles.ParseCPUs, func(o *options) *float64 { return &o.over.Limits.CPUs })},
		{name: "memory", value: "SIZE", group: groupLimits, field: "limits.memory",
			usage: "memory of all processes, files in tmpfs included", accept: acceptSize, preset: "512M",
			set: parsed(profiles.ParseSize, func(o *options) *int64 { return &o.over.Limits.Memory })},
		{name: "pids", value: "N", group: groupLimits, field: "limits.pids",
			usage: "processes and threads at once, the box's own one included", accept: acceptCount, preset: "128",
			set: parsed(profiles.ParseCount, func(o *options) *int64 { return &o.over.Limits.Pids })},
		{name: "output", value: "SIZE", group: groupLimits, field: "limits.output",
			usage: "bytes on stdout and stderr together", accept: acceptSize + ", or unlimited", preset: "1M",
			set: parsed(profiles.ParseOutput, func(o *options) *int64 { return &o.over.Limits.Output })},
		{name: "tmp-size", value: "SIZE", group: groupLimits, field: "limits.tmp_size",
			usage: "capacity of /tmp and of /dev/shm, each", accept: acceptSize, preset: "64M",
			set: parsed(profiles.ParseSize, func(o *options) *int64 { return &o.over.Limits.TmpSize })},
		{name: "fsize", value: "SIZE", group: groupLimits, field: "limits.file_size",
			usage: "size of one file", accept: acceptSize, preset: "1G",
			set: parsed(profiles.ParseSize, func(o *options) *int64 { return &o.over.Limits.FileSize })},
		{name: "nofile", value: "N", group: groupLimits, field: "limits.nofile",
			usage: "open files of one process", accept: acceptCount, preset: "1024",
			set: parsed(profiles.ParseCount, func(o *options) *int64 { return &o.over.Limits.NoFile })},
	}
}

func reachFlags() []flagDef {
	return []flagDef{
		{name: "net", value: "MODE", group: groupReach, field: "net", words: wordChoice,
			values: []string{"none", "loopback"}, preset: "none",
			usage: "none, or loopback: a private 127.0.0.1 and ::1", accept: "none or loopback",
			set: parsed(oneOf(jail.NetNone, jail.NetLoopback), func(o *options) *jail.Net { return &o.over.Net })},
		{name: "unix", group: groupReach, field: "unix",
			usage: "named AF_UNIX sockets also where nothing keeps them in the box (Landlock below ABI 9, and tier 2)",
			set:   on(func(o *options) *bool { return &o.unix })},
		{name: "allow-syscall", value: "NAME", many: true, group: groupReach, field: "seccomp.allow",
			usage: "allow one more system call", accept: acceptCall,
			set: added(asIs[string], func(o *options) *[]string { return &o.over.Allow })},
		{name: "deny-syscall", value: "NAME", many: true, group: groupReach, field: "seccomp.deny",
			usage: "deny a system call; wins over --allow-syscall", accept: acceptCall,
			set: added(asIs[string], func(o *options) *[]string { return &o.over.Deny })},
	}
}

func layerFlags() []flagDef {
	return []flagDef{
		{name: "optional", value: "LAYER,…", many: true, group: groupLayers, field: "optional", words: wordChoice,
			values: layerNames(), accept: "of landlock, seccomp and cgroup",
			usage: "layers that may be missing on this host; any other missing one is a refusal",
			set:   commas(func(o *options) *[]jail.LayerName { return &o.over.Optional })},
		{name: "require", value: "DEMAND,…", many: true, group: groupLayers, field: "require",
			usage:  "refuse hosts that have less: landlock>=6, kernel>=6.1, cgroup>=2",
			accept: "landlock>=N (an ABI), kernel>=X.Y (a release) or cgroup>=N (1 or 2)",
			set:    commas(func(o *options) *[]string { return &o.over.Require })},
		{name: "tier", value: "1|2", group: groupLayers, field: "tier", words: wordChoice, values: []string{"1", "2"},
			usage: "2: no namespaces and no root of its own, for hosts that forbid them", accept: "1 or 2", preset: "1",
			set: parsed(tier, func(o *options) *jail.Tier { return &o.over.Tier })},
		{name: "cgroup-parent", value: "PATH", group: groupLayers, field: "cgroup_parent",
			usage: "cgroup below which the box's own is made", accept: acceptParent,
			preset: "jail's own",
			set:    parsed(asIs[string], func(o *options) *string { return &o.over.CgroupParent })},
	}
}

func resultFlags() []flagDef {
	return []flagDef{
		{name: "json", group: groupResult,
			usage: "print the record on stdout, with the program's output in it",
			set:   on(func(o *options) *bool { return &o.json })},
		{name: "record", value: "FILE|fd:N", group: groupResult, words: wordFile,
			usage:  "stream the output through and write the record there",
			accept: "a file that can be written, or fd:N for a descriptor that is open",
			set:    parsed(recordName, func(o *options) *string { return &o.record })},
		{name: "output-mode", value: "MODE", group: groupResult, field: "output_mode", words: wordChoice,
			values: []string{"kill", "truncate"}, preset: "kill",
			usage: "past --output: kill the box, or truncate and let it go on", accept: "kill or truncate",
			set: parsed(oneOf(jail.OutputKill, jail.OutputTruncate), func(o *options) *jail.OutputMode { return &o.over.OutputMode })},
		{name: "trace", group: groupResult, field: "trace",
			usage: "have the record tell of files as well: what was not there or could not be written, and the flag that grants it; slows calls with paths down",
			set:   on(func(o *options) *bool { return &o.trace })},
		{name: "timings", group: groupResult,
			usage: "how long each stage took, in the record, or on stderr if there is none",
			set:   on(func(o *options) *bool { return &o.timings })},
		{name: "quiet", short: 'q', group: groupResult,
			usage: "no word of jail's own on stderr once the program ran",
			set:   on(func(o *options) *bool { return &o.quiet })},
	}
}
