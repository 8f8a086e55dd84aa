package jail

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Addresses are read here, since package net/netip costs every run that never asks
// for one some 20 µs at start.

// parseAddress reads 127.0.0.1:80 or [::1]:80: 4 bytes or 16, and the port.
func parseAddress(text string) (ip []byte, port uint16, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(text[at+1:], 10, 16)
	if err != nil {
		return nil, 0, false
	}
	host := text[:at]
	if six, found := strings.CutPrefix(host, "["); found {
		six, found = strings.CutSuffix(six, "]")
		ip, ok = parseIPv6(six)
		return ip, uint16(n), ok && found
	}
	ip, ok = parseIPv4(host)
	return ip, uint16(n), ok
}

func parseIPv4(text string) ([]byte, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return nil, false
	}
	ip := make([]byte, 4)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if err != nil || len(p) > 1 && p[0] == '0' { // which some read as octal
			return nil, false
		}
		ip[i] = byte(n)
	}
	return ip, true
}

// parseIPv6 reads groups of hexadecimal digits, one run of zeros left out.
func parseIPv6(text string) ([]byte, bool) {
	head, tail, short := strings.Cut(text, "::")
	front, ok := hexGroups(head)
	if !ok {
		return nil, false
	}
	if !short {
		return front, len(front) == 16
	}
	back, ok := hexGroups(tail)
	if !ok || len(front)+len(back) > 14 {
		return nil, false
	}
	return slices.Concat(front, make([]byte, 16-len(front)-len(back)), back), true
}

func hexGroups(text string) (b []byte, ok bool) {
	if text == "" {
		return nil, true
	}
	for _, g := range strings.Split(text, ":") {
		n, err := strconv.ParseUint(g, 16, 16)
		if err != nil || len(g) > 4 {
			return nil, false
		}
		b = append(b, byte(n>>8), byte(n))
	}
	return b, true
}

// loopback says whether an address is the host's, or box's, own, IPv4's in IPv6 (RFC 4291,
// 2.5.5.2) as well.
func loopback(ip []byte) bool {
	ip = unmapped(ip)
	return len(ip) == 4 && ip[0] == 127 || len(ip) == 16 && ip[15] == 1 && !slices.ContainsFunc(ip[:15], func(b byte) bool { return b != 0 })
}

// unspecified says whether an address is 0.0.0.0 or ::, by which connect(2) means the own
// host (tcp_v4_connect and tcp_v6_connect in net/).
func unspecified(ip []byte) bool {
	return !slices.ContainsFunc(unmapped(ip), func(b byte) bool { return b != 0 })
}

// unmapped is an address of IPv4 that is written as one of IPv6 as itself.
func unmapped(ip []byte) []byte {
	if len(ip) == 16 && !slices.ContainsFunc(ip[:10], func(b byte) bool { return b != 0 }) && ip[10] == 0xff && ip[11] == 0xff {
		return ip[12:]
	}
	return ip
}

// socketAddress is a struct sockaddr_in or sockaddr_in6.
func socketAddress(ip []byte, port uint16) (family int, name string, b []byte) {
	be := []byte{byte(port >> 8), byte(port)}
	if len(ip) == 4 {
		return unix.AF_INET, "AF_INET", slices.Concat([]byte{unix.AF_INET, 0}, be, ip, make([]byte, 8))
	}
	return unix.AF_INET6, "AF_INET6", slices.Concat([]byte{unix.AF_INET6, 0}, be, make([]byte, 4), ip, make([]byte, 4))
}
