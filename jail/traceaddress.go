package jail

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/seed-75010da9/jail/jail/internal/notify"
	"golang.org/x/sys/unix"
)

// connectingTo begins what a denial of an address says.
const connectingTo = "connecting to "

// sourceAddresses is what a tracer sees of them.
const sourceAddresses = "addresses looked at beside the calls (--trace)"

// mostAddresses is how many are told apart.
const mostAddresses = 16

// address notes where a call of connect(2) leads, if the box's own network has no way
// there: it has a loopback alone, and the kernel answers ENETUNREACH (connect(2)).
func (t *tracer) address(l *notify.Listener, c notify.Call) {
	const longest = 28 // struct sockaddr_in6
	if c.PID == 0 || t.box.spec.inPlace() {
		return
	}
	b := make([]byte, longest)
	b = b[:min(uint64(len(b)), c.Args[2])]
	if b = b[:max(0, notify.Read(c.PID, c.Args[1], b))]; !l.Waits(c) {
		return
	}
	if ip, port := addressIn(b); ip != nil && !loopback(ip) && !unspecified(ip) {
		t.seen.unreachable(addressText(ip, port))
	}
}

// addressIn is what a struct sockaddr_in or sockaddr_in6 holds (ip(7), ipv6(7)), or nil.
// An address of IPv4 in one of IPv6 is that.
func addressIn(b []byte) (ip []byte, port uint16) {
	if len(b) < 8 {
		return nil, 0
	}
	port = binary.BigEndian.Uint16(b[2:])
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_INET:
		return b[4:8], port
	case family != unix.AF_INET6 || len(b) < 24:
		return nil, 0
	}
	ip = b[8:24]
	if mapped := append(make([]byte, 10), 0xff, 0xff); bytes.HasPrefix(ip, mapped) {
		return ip[len(mapped):], port
	}
	return ip, port
}

// addressText is an address and a port as people write them, with every group of IPv6.
func addressText(ip []byte, port uint16) string {
	text := strconv.Itoa(int(ip[0]))
	if len(ip) == 4 {
		for _, b := range ip[1:] {
			text += "." + strconv.Itoa(int(b))
		}
	} else {
		text = "["
		for i := 0; i < len(ip); i += 2 {
			text += strconv.FormatUint(uint64(binary.BigEndian.Uint16(ip[i:])), 16) + ":"
		}
		text = text[:len(text)-1] + "]"
	}
	return text + ":" + strconv.Itoa(int(port))
}

// unreachable notes an address.
func (s *seenPaths) unreachable(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.addresses {
		if s.addresses[i].address == address {
			s.addresses[i].count++
			return
		}
	}
	if len(s.addresses) == mostAddresses {
		s.moreAddresses++
		return
	}
	s.addresses = append(s.addresses, addressUse{address, 1})
}

// An addressUse is how often one was to be connected to.
type addressUse struct {
	address string
	count   int64
}

// addressDenials are the addresses that nobody reaches from a box.
func (s *seenPaths) addressDenials() (list []Denial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	denial := func(what string, count int64) Denial {
		return Denial{Layer: LayerNamespaces, What: what, Count: count, Errno: unix.ErrnoName(unix.ENETUNREACH), Never: noWayOut, Source: sourceAddresses}
	}
	for _, a := range s.addresses {
		list = append(list, denial(connectingTo+a.address, a.count))
	}
	if s.moreAddresses > 0 {
		list = append(list, denial("connecting to more than the first "+strconv.Itoa(mostAddresses)+" addresses", s.moreAddresses))
	}
	return list
}
