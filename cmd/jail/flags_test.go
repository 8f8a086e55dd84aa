package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// settings shows what parse found as NAME=VALUE words.
func settings(c commandLine) string {
	var words []string
	for _, s := range c.settings {
		words = append(words, s.def.name+"="+s.value)
	}
	return strings.Join(words, " ")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, args           string
		settings, rest, want string // want: the faults' fields
	}{
		{"nothing", "", "", "", ""},
		{"program alone", "true", "", "true", ""},
		{"flags stop at the program", "--json node --json -q", "json=", "node --json -q", ""},
		{"two dashes", "--json -- --json x", "json=", "--json x", ""},
		{"two dashes belong to the program", "a -- b", "", "a -- b", ""},
		{"one dash is a program", "- x", "", "- x", ""},
		{"value behind", "--memory 1G true", "memory=1G", "true", ""},
		{"value inline", "--env=A=b=c true", "env=A=b=c", "true", ""},
		{"short", "-q true", "quiet=", "true", ""},
		{"value that looks like a flag of the program", "--cwd -x true", "cwd=-x", "true", ""},
		{"inline value that looks like ours", "--cwd=--json true", "cwd=--json", "true", ""},
		{"lists", "--ro a --ro b true", "ro=a ro=b", "true", ""},
		{"switch twice", "-q -q true", "quiet= quiet=", "true", ""},
		{"value missing at the end", "--memory", "", "", "--memory"},
		{"value missing before a flag", "--memory --json true", "json=", "true", "--memory"},
		{"value missing before a flag with one", "--memory --json=1 true", "", "true", "--memory --json"},
		{"two dashes are no value", "--hostname -- true", "", "true", "--hostname"},
		{"twice", "--name a --name b true", "name=a", "true", "--name"},
		{"unknown with a value behind", "--frob x --json true", "json=", "true", "--frob"},
		{"unknown, near a switch", "--jsno true", "", "true", "--jsno"},
		{"unknown, near one with a value", "--memroy 1G true", "", "true", "--memroy"},
		{"one dash for two", "-json true", "", "true", "-json"},
		{"several", "--x=1 --y=2 --cpus", "", "", "--x --y --cpus"},
	} {
		c := parse(runFlags(), strings.Fields(tt.args))
		var fields []string
		for _, f := range c.faults {
			fields = append(fields, f.Field)
		}
		if got := settings(c); got != tt.settings {
			t.Errorf("%s: parse(%q) settings = %q, want %q", tt.name, tt.args, got, tt.settings)
		}
		if got := strings.Join(c.rest, " "); got != tt.rest {
			t.Errorf("%s: parse(%q) rest = %q, want %q", tt.name, tt.args, got, tt.rest)
		}
		if got := strings.Join(fields, " "); got != tt.want {
			t.Errorf("%s: parse(%q) faults = %q, want %q", tt.name, tt.args, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--memory\x001G\x00--\x00true")
	f.Add("--frob\x00-q\x00x")
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\x00")
		c := parse(runFlags(), args)
		// The rest is always the end of what was given, untouched.
		if n := len(args) - len(c.rest); n < 0 || !reflect.DeepEqual(append([]string{}, args[n:]...), append([]string{}, c.rest...)) {
			t.Errorf("parse(%q) rest = %q, want an end of it", args, c.rest)
		}
		var o options
		c.apply(&o)
	})
}

// TestTable holds the table of flags against what it promises elsewhere.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, d := range runFlags() {
		for _, name := range []string{d.name, string(d.short)} {
			if name != "\x00" && names[name] {
				t.Errorf("flag %q stands twice in the table", name)
			}
			names[name] = true
		}
		if d.group == "" || d.usage == "" || d.set == nil || (d.value != "") != (d.accept != "") {
			t.Errorf("flag --%s lacks a group, a usage, a set function or what it accepts", d.name)
		}
		if d.words == wordChoice && len(d.values) == 0 {
			t.Errorf("flag --%s completes no words", d.name)
		}
	}
}

// TestPresets: the defaults that help shows are those of package jail.
func TestPresets(t *testing.T) {
	var o options
	for _, d := range limitFlags() {
		if d.name == "cpu-time" || d.name == "idle-timeout" {
			continue // the one follows two others, the other has none
		}
		if err := d.set(&o, d.preset); err != nil {
			t.Errorf("--%s does not accept its own default: %v", d.name, err)
		}
	}
	if got, want := o.over.Limits, jail.DefaultLimits(); got != want {
		t.Errorf("limits that help shows = %+v, want %+v", got, want)
	}
	if got, want := o.over.Limits.WithDefaults().CPUTime, 30*time.Second; got != want {
		t.Errorf("default CPU time = %v, want timeout × cpus, %v", got, want)
	}
}

func TestUnderFlag(t *testing.T) {
	spec := jail.Spec{View: []jail.Mount{{Kind: jail.MountSystem}, {Kind: jail.MountRW, Target: "/w"}, {Kind: jail.MountTmpfs, Target: "/t"}, {Kind: jail.MountRO, Target: "/profiles"}}}
	o := options{over: profiles.Overrides{RW: []profiles.Grant{{Host: "/x", Box: "/w"}}, Tmpfs: []profiles.Tmpfs{{Box: "/t"}}}}
	for field, want := range map[string]string{
		"limits.memory": "--memory", "limits.file_size": "--fsize", "env[3]": "--env", "args": "CMD", "args[0]": "CMD",
		"args[2]": "argument 2", "view[1].source": "--rw", "view[2].size": "--tmpfs", "view[0].target": "view[0]",
		"view[9].target": "view", "view[3].source": "view.ro", "seccomp.deny": "--deny-syscall", "profile": "--profile", "x.toml:3: net": "x.toml:3: net",
	} {
		if got := askedBy(o).underFlag(jail.Fault{Field: field}, spec).Field; got != want {
			t.Errorf("underFlag(%q) = %q, want %q", field, got, want)
		}
	}
}
