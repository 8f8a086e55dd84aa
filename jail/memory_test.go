package jail

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// flat is how much a supervisor may grow while output streams through it: two
// buffers, and what the runtime and a race detector make of them.
const flat = 32 << 20

// peakRSS is the most memory that this process had since it was reset (proc(5),
// VmHWM and clear_refs).
func peakRSS(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// The supervisor's memory does not grow with the output, kept or streamed.
func TestMemoryStaysFlat(t *testing.T) {
	const n = 200 << 20
	for _, c := range []struct {
		name string
		io   IO
		mode OutputMode
		cap  int64
	}{
		{"head and tail kept", IO{}, OutputTruncate, 1 << 20},
		{"streamed", IO{Stdout: new(counter)}, OutputKill, n},
		{"streamed until the cap, then thrown away", IO{Stdout: new(counter)}, OutputTruncate, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := shell("head -c " + strconv.Itoa(n) + " /dev/zero")
			s.Limits.Output, s.OutputMode = c.cap, c.mode
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				leaveOut(t, err.Error())
			}
			before := peakRSS(t)
			res := runBox(t, s, c.io)
			grown := peakRSS(t) - before
			t.Logf("grew by %d KiB for %d MiB", grown>>10, n>>20)
			want(t, res, ReasonOK)
			if res.Stdout.Bytes != n || grown > flat {
				t.Errorf("%d bytes came, and memory grew by %d bytes, want at most %d", res.Stdout.Bytes, grown, flat)
			}
		})
	}
}
