package cgroups

import (
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
