package jail

import (
	"net/netip"
	"testing"
)

// What is read is what net/netip reads.
func TestParseAddress(t *testing.T) {
	for _, text := range []string{"127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:80", "[::]:1", "[2001:db8::1:2]:443", "[1:2:3:4:5:6:7:8]:9", "[1::]:9",
		"", ":80", "1.2.3:80", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "01.2.3.4:80", "256.1.1.1:80", "[::1:80", "::1:80", "[1:2]:80", "[1::2::3]:80", "[12345::]:1",
		"[1:2:3:4:5:6:7:8:9]:9", "[1:2:3:4:5:6:7::8]:9", "[g::]:1", "localhost:80", "[::1]80", "[:1]:80"} {
		ip, port, ok := parseAddress(text)
		want, err := netip.ParseAddrPort(text)
		if ok != (err == nil) {
			t.Errorf("parseAddress(%q): %v, want %v", text, ok, err)
			continue
		}
		if ok && (string(ip) != string(want.Addr().AsSlice()) || port != want.Port() || loopback(ip) != want.Addr().IsLoopback()) {
			t.Errorf("parseAddress(%q) = %v, %d, loopback %v, want %v", text, ip, port, loopback(ip), want)
		}
	}
}
