package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// TestDecodeFaults runs every text in testdata/faults and compares all of its
// faults with what stands behind it.
func TestDecodeFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			_, err := Load(file, Host{Dir: mustGetwd(t)})
			got := strings.ReplaceAll(faultLines(err, mustGetwd(t)), "testdata/faults/", "")
			golden := strings.TrimSuffix(file, ".toml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("faults of %s:\n%swant (%v):\n%s", file, got, err, want)
			}
			if got == "" {
				t.Errorf("%s has no faults", file)
			}
		})
	}
}

func mustGetwd(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDecodeEverything(t *testing.T) {
	root := tree(t, map[string]string{"p.toml": `
description = "all keys"
optional = ["landlock"]
require = ["landlock>=6"]
run.interpreter = ["ruby"]
run.grant = "script"
run.args = ["-W0"]
run.code = ["-e"]
run.value = ["-r"]
run.cluster = true
run.heap = "none"
[view]
system = ["/usr"]
ro = ["/opt/a", "/opt/b:/b"]
rw = ["~/out:/out"]
tmpfs = ["/scratch:64M", "/var"]
files = { "/etc/a" = "x", "/etc/b" = '' }
[env]
set = { TZ = "UTC" }
pass = [
  "TERM", # a comment
]
[limits]
timeout = "1m"
cpu_time = "30s"
memory = 4194304
cpus = 0.5
pids = 64
output = "2M"
output_mode = "truncate"
tmp_size = "1G"
nofile = 256
file_size = "10M"
[net]
mode = "loopback"
unix = true
[seccomp]
policy = "default"
allow = ["ptrace"]
deny = ["chmod"]
`})
	p := load(t, root+"/p.toml", Host{})
	s := &p.settings
	want := jail.Limits{Timeout: time.Minute, CPUTime: 30 * time.Second, Memory: 4 << 20, CPUs: 0.5, Pids: 64,
		Output: 2 << 20, TmpSize: 1 << 30, NoFile: 256, FileSize: 10 << 20}
	if s.limits != want {
		t.Errorf("limits = %+v, want %+v", s.limits, want)
	}
	if s.net != jail.NetLoopback || !s.unix || s.outputMode != jail.OutputTruncate || !s.run.cluster {
		t.Errorf("net, unix, output mode, cluster = %v, %v, %v, %v", s.net, s.unix, s.outputMode, s.run.cluster)
	}
	if len(s.view.files) != 2 || s.view.files["/etc/a"] != "x" || s.env.set["TZ"] != "UTC" || s.env.pass[0] != "TERM" {
		t.Errorf("files = %v, env = %+v", s.view.files, s.env)
	}
}

// Every key of the format is in the tables, every table in the documentation.
func TestFormatIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		key := f.key[strings.LastIndex(f.key, ".")+1:]
		if !strings.Contains(string(doc), "\t"+key+" = ") {
			t.Errorf("doc.go does not show %s", f.key)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range Names() {
		text, _ := Source(name)
		f.Add([]byte(text))
	}
	files, _ := filepath.Glob("testdata/faults/*.toml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := parseDocument("f", text)
		var s settings
		s.apply(d)
		for _, fault := range d.faults {
			if fault.Field == "" || fault.Want == "" || len(fault.Value) > 200 {
				t.Errorf("fault %+v", fault)
			}
		}
		// What was accepted fits the types of a Spec.
		if l := s.limits; l.Memory < 0 || l.Timeout < 0 || l.CPUs < 0 || l.Pids < 0 || l.NoFile < 0 {
			t.Errorf("limits %+v", l)
		}
	})
}
