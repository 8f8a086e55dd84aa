package profiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/seed-75010da9/jail/jail"
)

// Settings is what a profile says, after those that it extends.
type settings struct {
	extends, description string
	optional, require    []string
	run                  runSettings
	view                 viewSettings
	env                  envSettings
	limits               jail.Limits
	outputMode           jail.OutputMode
	net                  jail.Net
	unix                 bool
	seccomp              jail.Seccomp
}

type runSettings struct {
	interpreter []string // names to look up, or absolute paths; first found is taken
	args        []string // put before the caller's
	grant       grantKind
	code        []string // options after which no script follows
	value       []string // options that take the next argument
	cluster     bool     // one-letter options may be written together
	heap        heapKind
	engine      engineKind
}

type viewSettings struct {
	system, ro, rw, tmpfs []string
	files                 map[string]string // path -> content
}

type envSettings struct {
	set  map[string]string
	pass []string
}

// A grantKind says what of the command line is granted by itself.
type grantKind string

const (
	grantNone    grantKind = "none"    // nothing
	grantScript  grantKind = "script"  // the interpreter's script
	grantProgram grantKind = "program" // the program file
)

// A heapKind names a runtime that must be told how much memory there is.
type heapKind string

const (
	heapNone heapKind = "none"
	heapV8   heapKind = "v8"
)

// An engineKind names an interpreter that keeps to the box's limits and grants by itself.
type engineKind string

const (
	engineNone engineKind = "none"
	engineWasm engineKind = "wasm"
)

// A field is one key that a profile may hold: what it accepts, in words, and
// how it is stored. Lists of grants add to those of the parent; everything
// else replaces the parent's.
type field struct {
	key  string
	want string
	set  func(*settings, value) bool
}

const (
	wantName     = "the name of a profile, or the path of a profile file"
	wantText     = "a string"
	wantBool     = "true or false"
	wantPaths    = `a list of absolute paths, such as ["/opt/data"]`
	wantGrants   = `a list of HOST or HOST:BOX, both absolute, such as ["/opt/data:/data"]; ~/ is the caller's home`
	wantTmpfses  = `a list of BOX or BOX:SIZE, such as ["/scratch:64M"]`
	wantOptions  = `a list of options, such as ["-e", "--eval"]`
	wantEnvKeys  = `a list of variable names, such as ["TZ"]`
	wantSyscalls = `a list of system calls as the kernel spells them, such as ["ptrace"]`
	wantOptional = `a list of "landlock", "seccomp" and "cgroup"`
	wantRequire  = `a list of demands such as ["landlock>=6"]`
)

var fields = []field{
	{"extends", wantName, func(s *settings, v value) bool { return v.string(&s.extends) && s.extends != "" }},
	{"description", wantText, func(s *settings, v value) bool { return v.string(&s.description) }},
	{"optional", wantOptional, func(s *settings, v value) bool { return v.more(&s.optional, isOptionalLayer) }},
	{"require", wantRequire, func(s *settings, v value) bool { return v.more(&s.require, notEmpty) }},

	{"run.interpreter", `a list of names or absolute paths, such as ["python3", "python"]`, func(s *settings, v value) bool {
		return v.strings(&s.run.interpreter, isCommand)
	}},
	{"run.args", "a list of strings", func(s *settings, v value) bool { return v.strings(&s.run.args, anyString) }},
	{"run.grant", `one of "none", "script" and "program"`, func(s *settings, v value) bool {
		return oneOf(v, &s.run.grant, grantNone, grantScript, grantProgram)
	}},
	{"run.code", wantOptions, func(s *settings, v value) bool { return v.strings(&s.run.code, isOption) }},
	{"run.value", wantOptions, func(s *settings, v value) bool { return v.strings(&s.run.value, isOption) }},
	{"run.cluster", wantBool, func(s *settings, v value) bool { return v.bool(&s.run.cluster) }},
	{"run.heap", `one of "none" and "v8"`, func(s *settings, v value) bool { return oneOf(v, &s.run.heap, heapNone, heapV8) }},
	{"run.engine", `one of "none" and "wasm"`, func(s *settings, v value) bool { return oneOf(v, &s.run.engine, engineNone, engineWasm) }},

	{"view.system", wantPaths, func(s *settings, v value) bool { return v.more(&s.view.system, isBoxPath) }},
	{"view.ro", wantGrants, func(s *settings, v value) bool { return v.more(&s.view.ro, isProfileGrant) }},
	{"view.rw", wantGrants, func(s *settings, v value) bool { return v.more(&s.view.rw, isProfileGrant) }},
	{"view.tmpfs", wantTmpfses, func(s *settings, v value) bool { return v.more(&s.view.tmpfs, isTmpfs) }},
	{"env.pass", wantEnvKeys, func(s *settings, v value) bool { return v.more(&s.env.pass, isEnvKey) }},

	{"limits.timeout", wantDuration, func(s *settings, v value) bool { return v.duration(&s.limits.Timeout) }},
	{"limits.cpu_time", wantDuration, func(s *settings, v value) bool { return v.duration(&s.limits.CPUTime) }},
	{"limits.idle_timeout", wantDuration, func(s *settings, v value) bool { return v.duration(&s.limits.IdleTimeout) }},
	{"limits.memory", wantSize, func(s *settings, v value) bool { return v.size(&s.limits.Memory) }},
	{"limits.cpus", wantCPUs, func(s *settings, v value) bool { return v.cpus(&s.limits.CPUs) }},
	{"limits.pids", wantCount, func(s *settings, v value) bool { return v.count(&s.limits.Pids) }},
	{"limits.output", wantOutput, func(s *settings, v value) bool { return v.output(&s.limits.Output) }},
	{"limits.output_mode", `one of "kill" and "truncate"`, func(s *settings, v value) bool {
		return oneOf(v, &s.outputMode, jail.OutputKill, jail.OutputTruncate)
	}},
	{"limits.tmp_size", wantSize, func(s *settings, v value) bool { return v.size(&s.limits.TmpSize) }},
	{"limits.nofile", wantCount, func(s *settings, v value) bool { return v.count(&s.limits.NoFile) }},
	{"limits.file_size", wantSize, func(s *settings, v value) bool { return v.size(&s.limits.FileSize) }},

	{"net.mode", `one of "none" and "loopback"`, func(s *settings, v value) bool {
		return oneOf(v, &s.net, jail.NetNone, jail.NetLoopback)
	}},
	{"net.unix", wantBool, func(s *settings, v value) bool { return v.bool(&s.unix) }},
	{"seccomp.policy", "the name of a built-in policy, such as \"default\"", func(s *settings, v value) bool {
		return v.string(&s.seccomp.Policy) && s.seccomp.Policy != ""
	}},
	{"seccomp.allow", wantSyscalls, func(s *settings, v value) bool { return v.more(&s.seccomp.Allow, isSyscallName) }},
	{"seccomp.deny", wantSyscalls, func(s *settings, v value) bool { return v.more(&s.seccomp.Deny, isSyscallName) }},
}

// A mapField is a table whose keys are the author's own.
type mapField struct {
	key  string
	want string
	set  func(s *settings, key string, v value) bool
}

var mapFields = []mapField{
	{"env.set", `NAME = "value", where NAME is not empty and holds no '='`, func(s *settings, key string, v value) bool {
		var text string
		if !isEnvKey(key) || !v.string(&text) {
			return false
		}
		if s.env.set == nil {
			s.env.set = map[string]string{}
		}
		s.env.set[key] = text
		return true
	}},
	{"view.files", `"/absolute/path" = "content of at most 64 KiB"`, func(s *settings, key string, v value) bool {
		if !isBoxPath(key) || v.kind != unstable.String || len(v.str) > maxFileContent {
			return false
		}
		if s.view.files == nil {
			s.view.files = map[string]string{}
		}
		s.view.files[key] = v.str
		return true
	}},
}

// wants is f.want, and for a limit how much it may be.
func (f field) wants() string {
	if within := jail.LimitRange(f.key); within != "" {
		return f.want + "; " + within
	}
	return f.want
}

// maxFileContent is what a jail.MountFile may hold.
const maxFileContent = 64 << 10

// apply stores a document's entries over what s holds from the document's
// parents, and reports what is not acceptable.
func (s *settings) apply(d *document) {
	for _, e := range d.entries {
		want, ok := s.store(e)
		if !ok {
			d.fault(e.line, e.path, e.v.text, want)
			continue
		}
		d.possible(e)
	}
	d.checkTables()
}

// store stores one entry if it is acceptable, and says what would be.
func (s *settings) store(e entry) (want string, ok bool) {
	for _, f := range fields {
		if f.key == strings.Join(e.path, ".") {
			return f.wants(), f.set(s, e.v)
		}
	}
	for _, m := range mapFields {
		switch table, key := strings.Join(e.path[:min(2, len(e.path))], "."), e.path[min(2, len(e.path)):]; {
		case table != m.key:
		case len(key) == 1:
			return m.want, m.set(s, key[0], e.v)
		default:
			return "a table of " + m.want, len(key) == 0 && e.v.kind == unstable.InlineTable
		}
	}
	// An empty table that there is says nothing.
	return "no such key; " + accepted(e.path), e.v.kind == unstable.InlineTable && isTable(e.path)
}

func isOptionalLayer(s string) bool { return slices.Contains(jail.OptionalLayers, jail.LayerName(s)) }
func anyString(string) bool         { return true }
func notEmpty(s string) bool        { return s != "" }
func isOption(s string) bool        { return len(s) > 1 && (s[0] == '-' || s[0] == '+') }
func isCommand(s string) bool       { return s != "" && (!strings.Contains(s, "/") || isBoxPath(s)) }
func isTmpfs(s string) bool         { _, err := ParseTmpfs(s); return err == nil }

func isSyscallName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// isBoxPath accepts absolute paths that are already clean, below the root.
func isBoxPath(s string) bool {
	return filepath.IsAbs(s) && s != "/" && filepath.Clean(s) == s && !strings.ContainsRune(s, 0)
}

// isProfileGrant accepts grants that mean the same wherever jail is called.
func isProfileGrant(s string) bool {
	g, err := ParseGrant(s)
	return err == nil && (filepath.IsAbs(g.Host) || strings.HasPrefix(g.Host, "~/"))
}

// isEnvKey accepts what can be a variable's name: environ(7) has '=' end it.
func isEnvKey(s string) bool { return s != "" && !strings.ContainsAny(s, "=\x00") }
