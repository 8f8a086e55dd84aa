package cgroups

import (
	"reflect"
	"testing"
)

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
