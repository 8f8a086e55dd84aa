package jail

import (
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// newID is a ULID: 48 bits of milliseconds and 80 random bits in Crockford's
// base 32, so that ids sort by time.
func newID(now time.Time) string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	// An id is a label, not a secret: the runtime's own generator, which the kernel
	// seeds at a process's start, costs no call.
	binary.BigEndian.PutUint16(b[6:8], uint16(rand.Uint32()))
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var id [26]byte
	for i := len(id) - 1; i >= 0; i-- {
		id[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(id[:])
}
