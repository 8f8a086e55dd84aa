package profiles

import (
	"math"
	"strconv"
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64 // 0 is an error
	}{
		{"1", 1}, {"1024", 1024}, {"256M", 256 << 20}, {"256m", 256 << 20},
		{"4k", 4096}, {"2G", 2 << 30}, {"131072G", 1 << 47}, {"0256M", 256 << 20},
		{"", 0}, {"0", 0}, {"0M", 0}, {"-1", 0}, {"+1", 0}, {"1e9", 0}, {"10GB", 0},
		{"999999999T", 0}, {"999999999G", 999999999 << 30}, {"99999999999G", math.MaxInt64}, {"1.5G", 0}, {"M", 0},
		{"256 M", 0}, {" 1", 0}, {"1_000", 0}, {"0x10", 0}, {"inf", 0}, {"1MiB", 0},
		{"99999999999999999999", math.MaxInt64}, {"99999999999999999999K", math.MaxInt64}, {"٣M", 0},
	} {
		got, err := ParseSize(tt.in)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("ParseSize(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
	_, err := ParseSize("10GB")
	const want = `"10GB": accepted is a whole number of bytes, or of KiB, MiB or GiB with K, M or G behind it, such as 256M`
	if err == nil || err.Error() != want {
		t.Errorf("ParseSize(10GB): %v, want %s", err, want)
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1", "256M", "999999999T", "131072G", "-1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			return
		}
		if n < 1 {
			t.Errorf("ParseSize(%q) = %d, out of range", s, n)
		}
		if again, err := ParseSize(strconv.FormatInt(n, 10)); again != n || err != nil {
			t.Errorf("ParseSize(%d) = %d, %v", n, again, err)
		}
	})
}

func TestParseDuration(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want time.Duration
	}{
		{"30s", 30 * time.Second}, {"1m30s", 90 * time.Second}, {"1ms", time.Millisecond},
		{"1.5s", 1500 * time.Millisecond}, {"8761h", 8761 * time.Hour}, {"1ns", 1},
		{"", 0}, {"0", 0}, {"0s", 0}, {"30", 0}, {"-1s", 0},
		{"1d", 0}, {"forever", 0}, {"1e9s", 0}, {"9999999999999h", 0},
	} {
		got, err := ParseDuration(tt.in)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseCPUs(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want float64
	}{
		{"1", 1}, {"0.5", 0.5}, {"2.25", 2.25}, {"0.01", 0.01}, {"1025", 1025}, {"0.001", 0.001},
		{"", 0}, {"0", 0}, {"0.0", 0}, {"-1", 0}, {"1e3", 0}, {"inf", 0}, {"NaN", 0},
		{"0x1p3", 0}, {".5", 0}, {"1.", 0}, {"1,5", 0}, {"1.2.3", 0},
	} {
		got, err := ParseCPUs(tt.in)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("ParseCPUs(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseCount(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64
	}{
		{"1", 1}, {"128", 128}, {"4194304", 4194304},
		{"", 0}, {"0", 0}, {"-1", 0}, {"1K", 0}, {"1.0", 0}, {"1e3", 0}, {"99999999999999999999", math.MaxInt64},
	} {
		got, err := ParseCount(tt.in)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("ParseCount(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseGrant(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Grant // zero is an error
	}{
		{"/data", Grant{Host: "/data"}},
		{"data", Grant{Host: "data"}},
		{"data:/x", Grant{Host: "data", Box: "/x"}},
		{"/a:b", Grant{Host: "/a:b"}},
		{"/a:b:/c", Grant{Host: "/a:b", Box: "/c"}},
		{"/a:/", Grant{Host: "/a", Box: "/"}},
		{"/a b\nc", Grant{Host: "/a b\nc"}},
		{"", Grant{}}, {":/x", Grant{}}, {"/a:", Grant{}}, {"/a::/x", Grant{}},
	} {
		got, err := ParseGrant(tt.in)
		if got != tt.want || (err != nil) != (tt.want == Grant{}) {
			t.Errorf("ParseGrant(%q) = %+v, %v, want %+v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseTmpfs(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Tmpfs
	}{
		{"/scratch", Tmpfs{Box: "/scratch"}},
		{"/scratch:64M", Tmpfs{Box: "/scratch", Size: 64 << 20}},
		{"", Tmpfs{}}, {"scratch", Tmpfs{}}, {"/scratch:", Tmpfs{}}, {"/scratch:0", Tmpfs{}}, {"/scratch:1e9", Tmpfs{}},
	} {
		got, err := ParseTmpfs(tt.in)
		if got != tt.want || (err != nil) != (tt.want == Tmpfs{}) {
			t.Errorf("ParseTmpfs(%q) = %+v, %v, want %+v", tt.in, got, err, tt.want)
		}
	}
}
