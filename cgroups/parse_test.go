package cgroups

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseValue(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0\n", 0, true},
		{"128\n", 128, true},
		{"128", 128, true},
		{"max\n", unlimited, true},
		{"-1\n", -1, true},
		{"9223372036854771712\n", 9223372036854771712, true},
		{"9223372036854775808\n", 0, false},
		{"", 0, false},
		{"\n", 0, false},
		{"12 \n", 0, false},
		{"12\n13\n", 0, false},
		{"0x10\n", 0, false},
		{"maximum\n", 0, false},
		{"1_000\n", 0, false},
	}
	for _, tt := range tests {
		got, err := parseValue(tt.text)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseValue(%q) = %v, %v, want %v, ok %v", tt.text, got, err, tt.want, tt.ok)
		}
	}
}

func TestParseKey(t *testing.T) {
	const (
		oomControl = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"
		events     = "low 0\nhigh 0\nmax 17\noom 2\noom_kill 1\noom_group_kill 1\n"
	)
	tests := []struct {
		text, key string
		want      int64
		ok        bool
	}{
		{oomControl, "oom_kill", 3, true},
		{oomControl, "oom_kill_disable", 0, true},
		{events, "oom_kill", 1, true},
		{events, "oom", 2, true},
		{events, "max", 17, true},
		{"max 4", "max", 4, true}, // no newline at the end
		{events, "oom_", 0, false},
		{"", "max", 0, false},
		{"max\n", "max", 0, false},
		{"max \n", "max", 0, false},
		{"max 1 2\n", "max", 0, false},
		{"max 99999999999999999999\n", "max", 0, false},
		{" max 1\n", "max", 0, false},
	}
	for _, tt := range tests {
		got, err := parseKey(tt.text, tt.key)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseKey(%q, %q) = %v, %v, want %v, ok %v", tt.text, tt.key, got, err, tt.want, tt.ok)
		}
	}
}

func TestParseCPUMax(t *testing.T) {
	tests := []struct {
		text          string
		quota, period int64
		ok            bool
	}{
		{"max 100000\n", unlimited, 100000, true},
		{"50000 100000\n", 50000, 100000, true},
		{"50000\n", 0, 0, false},
		{"", 0, 0, false},
		{"a 100000\n", 0, 0, false},
		{"1 2 3\n", 1, 0, false},
	}
	for _, tt := range tests {
		quota, period, err := parseCPUMax(tt.text)
		if (err == nil) != tt.ok || tt.ok && (quota != tt.quota || period != tt.period) {
			t.Errorf("parseCPUMax(%q) = %v, %v, %v, want %v, %v, ok %v", tt.text, quota, period, err, tt.quota, tt.period, tt.ok)
		}
	}
}

func TestParseIOStat(t *testing.T) {
	tests := []struct {
		text          string
		read, written int64
		ok            bool
	}{
		{"", 0, 0, true},
		{"8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n253:1 rbytes=1 wbytes=2\n", 11, 22, true},
		{"8:0 \n", 0, 0, true},
		{"8:0 rbytes= wbytes=2\n", 0, 0, false},
		{"8:0 rbytes=-4\n", 0, 0, false},
		{"8:0 rbytes=9223372036854775807\n8:1 rbytes=1\n", 0, 0, false},
	}
	for _, tt := range tests {
		read, written, err := parseIOStat(tt.text)
		if read != tt.read || written != tt.written || (err == nil) != tt.ok {
			t.Errorf("parseIOStat(%q) = %v, %v, %v, want %v, %v, ok %v", tt.text, read, written, err, tt.read, tt.written, tt.ok)
		}
	}
}

func TestParseMemberships(t *testing.T) {
	tests := []struct {
		name, text string
		want       []membership
		ok         bool
	}{
		{"version 2", "0::/user.slice/a b\n", []membership{{nil, "/user.slice/a b"}}, true},
		{"hybrid", "9:name=systemd:/\n4:cpu,cpuacct:/x\n0::/\n", []membership{
			{[]string{"name=systemd"}, "/"}, {[]string{"cpu", "cpuacct"}, "/x"}, {nil, "/"}}, true},
		{"colon in the path", "0::/a:b\n", []membership{{nil, "/a:b"}}, true},
		{"outside of the namespace", "0::/../x\n", []membership{{nil, "/../x"}}, true},
		{"empty", "", nil, true},
		{"no path", "0::\n", nil, false},
		{"one field", "0\n", nil, false},
		{"relative", "0::x\n", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseMemberships(tt.text)
			if (err == nil) != tt.ok || tt.ok && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("parseMemberships(%q) = %v, %v, want %v, ok %v", tt.text, got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestParseMountinfo(t *testing.T) {
	const text = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /mnt/with\040blank\134 rw - cgroup2 cgroup2 rw,nsdelegate
junk
1 2 3 - cgroup
`
	want := []mount{
		{"/docker/abc", "/sys/fs/cgroup/cpu,cpuacct", V1, []string{"rw", "cpu", "cpuacct"}},
		{"/", `/mnt/with blank\`, V2, nil},
	}
	if got := parseMountinfo(text); !reflect.DeepEqual(got, want) {
		t.Errorf("parseMountinfo(…) = %v, want %v", got, want)
	}
}

func TestBelow(t *testing.T) {
	tests := []struct {
		root, path, want string
		ok               bool
	}{
		{"/", "/a/b", "/a/b", true},
		{"/a", "/a/b", "/b", true},
		{"/a", "/a", "/", true},
		{"/a", "/ab", "", false},
		{"/a/b", "/a", "", false},
		{"/a", "/../a", "", false},
	}
	for _, tt := range tests {
		got, ok := below(tt.root, tt.path)
		if got != tt.want || ok != tt.ok {
			t.Errorf("below(%q, %q) = %q, %v, want %q, %v", tt.root, tt.path, got, ok, tt.want, tt.ok)
		}
	}
}

func TestClosest(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"/", "/x", "/"},
		{"/a/b", "/a/b/c", "/a/b"},
		{"/a/b", "/a/bc", "/a"},
		{"/a/b", "/x/y", "/"},
		{"/a/b", "/a/b", "/a/b"},
		{"/a/b/c", "/a", "/a"},
	}
	for _, tt := range tests {
		if got := closest(tt.a, tt.b); got != tt.want {
			t.Errorf("closest(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	tests := []struct {
		text string
		want Version
	}{
		{"0::/\n", V2},
		{"1:name=systemd:/\n0::/\n", V2},
		{"2:net_cls:/\n0::/\n", V2},
		{"4:memory:/\n0::/\n", V1},
		{"4:cpu,cpuacct:/\n", V1},
	}
	for _, tt := range tests {
		ms, err := parseMemberships(tt.text)
		if got := versionOf(ms); err != nil || got != tt.want {
			t.Errorf("versionOf(%q) = %v (%v), want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	tests := []struct {
		text, key string
		unit      time.Duration
		want      time.Duration
		ok        bool
	}{
		{"usage_usec 12\nuser_usec 5\n", "user_usec", time.Microsecond, 5 * time.Microsecond, true},
		{"15\n", "", time.Nanosecond, 15, true},
		{"usage_usec 9223372036854775807\n", "usage_usec", time.Microsecond, 0, false},
		{"usage_usec 1\n", "throttled_usec", time.Microsecond, 0, false},
	}
	for _, tt := range tests {
		var got time.Duration
		err := duration(&got, tt.key, tt.unit)(tt.text)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("duration(%q, %q) = %v, %v, want %v, ok %v", tt.text, tt.key, got, err, tt.want, tt.ok)
		}
	}
}

func TestLimitsValidate(t *testing.T) {
	good := Limits{Memory: 64 << 20, CPUs: 1, Pids: 10}
	with := func(f func(*Limits)) Limits { l := good; f(&l); return l }
	tests := []struct {
		name  string
		l     Limits
		fault string // the field that the error names
	}{
		{"good", good, ""},
		{"least", Limits{MinMemory, MinCPUs, 1}, ""},
		{"most", Limits{math.MaxInt64, MaxCPUs, MaxPids}, ""},
		{"zero value", Limits{}, "memory"},
		{"memory too small", with(func(l *Limits) { l.Memory = MinMemory - 1 }), "memory"},
		{"memory negative", with(func(l *Limits) { l.Memory = -1 }), "memory"},
		{"cpus zero", with(func(l *Limits) { l.CPUs = 0 }), "cpus"},
		{"cpus NaN", with(func(l *Limits) { l.CPUs = math.NaN() }), "cpus"},
		{"cpus infinite", with(func(l *Limits) { l.CPUs = math.Inf(1) }), "cpus"},
		{"cpus negative", with(func(l *Limits) { l.CPUs = -1 }), "cpus"},
		{"pids zero", with(func(l *Limits) { l.Pids = 0 }), "pids"},
		{"pids too many", with(func(l *Limits) { l.Pids = MaxPids + 1 }), "pids"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.l.Validate()
			if (err == nil) != (tt.fault == "") {
				t.Fatalf("Validate(%+v) = %v, want a fault in %q", tt.l, err, tt.fault)
			}
			if err != nil && !strings.Contains(err.Error(), "limit "+tt.fault+":") {
				t.Errorf("Validate(%+v) = %v, want it to name %q", tt.l, err, tt.fault)
			}
		})
	}
}

func TestValidName(t *testing.T) {
	tests := []struct {
		name string
		want bool
	}{
		{"", true},
		{"a-B_9.x", true},
		{strings.Repeat("a", maxName), true},
		{strings.Repeat("a", maxName+1), false},
		{"a/b", false},
		{"a\n", false},
		{"a b", false},
		{"a\x00b", false},
		{"é", false},
		{"aéa", false},
	}
	for _, tt := range tests {
		if got := validName(tt.name); got != tt.want {
			t.Errorf("validName(%q) = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestErrorNamesWhatIsMissing(t *testing.T) {
	err := error(&Error{Op: "find", Path: "/x", Missing: "controller memory", Err: errors.ErrUnsupported, Remedy: "do"})
	if got, want := err.Error(), "cgroups: find /x: missing controller memory: unsupported operation"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error("errors.Is(err, ErrUnsupported) = false")
	}
}

// The parsers read files of the kernel, but a fake tree in a container may
// hold anything.
func FuzzParsers(f *testing.F) {
	for _, s := range []string{"max\n", "12\n", "max 4\n", "50000 100000\n", "8:0 rbytes=1 wbytes=2\n",
		"4:cpu,cpuacct:/x\n0::/\n", "32 31 0:29 /a /b\\040c rw - cgroup cgroup rw,cpu\n", "\\", "\x00", "a \\1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseValue(s); err != nil && n != 0 {
			t.Errorf("parseValue(%q) = %d with an error", s, n)
		}
		if n, err := parseKey(s, "max"); err != nil && n != 0 {
			t.Errorf("parseKey(%q) = %d with an error", s, n)
		}
		if r, w, err := parseIOStat(s); r < 0 || w < 0 || err != nil && (r != 0 || w != 0) {
			t.Errorf("parseIOStat(%q) = %d, %d, %v", s, r, w, err)
		}
		parseCPUMax(s)
		if ms, err := parseMemberships(s); err == nil {
			for _, m := range ms {
				if m.path[0] != '/' {
					t.Errorf("parseMemberships(%q): path %q", s, m.path)
				}
			}
		}
		for _, m := range parseMountinfo(s) {
			if m.version != V1 && m.version != V2 {
				t.Errorf("parseMountinfo(%q): version %v", s, m.version)
			}
		}
	})
}
