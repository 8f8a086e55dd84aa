package request

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// names are the fields of jail.Spec that a request calls otherwise.
var names = [...]struct{ spec, request string }{
	{"limits.timeout", "limits.timeout_ms"},
	{"limits.cpu_time", "limits.cpu_time_ms"},
	{"limits.idle_timeout", "limits.idle_timeout_ms"},
	{"limits.memory", "limits.memory_bytes"},
	{"limits.output", "limits.output_bytes"},
	{"limits.tmp_size", "limits.tmp_bytes"},
	{"limits.file_size", "limits.file_size_bytes"},
}

// flagField is the field that takes what package profiles calls by a flag of the
// command line.
func flagField(flag string) string {
	switch flag {
	case "--ro", "--rw", "--tmpfs":
		return "view"
	case "--workspace":
		return "workspace"
	case "--cwd":
		return "dir"
	case "--env":
		return "env"
	case "command", "script":
		return "args"
	case "run.interpreter":
		return "profile"
	}
	return flag
}

// Named says faults of a jail.Spec under the names of a request's fields, with
// times in its unit.
func Named(faults jail.Faults) jail.Faults {
	named := make(jail.Faults, len(faults))
	for i, f := range faults {
		for _, n := range names {
			if f.Field == n.spec {
				f.Field = n.request
			}
		}
		if strings.HasPrefix(f.Field, "view[") && strings.HasSuffix(f.Field, ".size") {
			f.Field += "_bytes"
		}
		if d, err := time.ParseDuration(f.Value); err == nil && strings.HasSuffix(f.Field, "_ms") {
			f.Value = strconv.FormatFloat(float64(d)/1e6, 'f', -1, 64)
		}
		named[i] = f
	}
	return named
}

// OfSpec is Named the other way round, for the launcher, whose flags go by the
// fields of a Spec.
func OfSpec(faults jail.Faults) jail.Faults {
	named := make(jail.Faults, len(faults))
	for i, f := range faults {
		for _, n := range names {
			if f.Field == n.request {
				f.Field = n.spec
			}
		}
		if strings.HasPrefix(f.Field, "view[") {
			f.Field = strings.TrimSuffix(f.Field, "_bytes")
		}
		named[i] = f
	}
	return named
}
