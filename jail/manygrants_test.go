package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// manyGrants is n files, granted one by one below a few folders.
func manyGrants(t *testing.T, n int) []Mount {
	t.Helper()
	dir := t.TempDir()
	out := make([]Mount, n)
	for i := range out {
		source := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(source, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		out[i] = ro(source, fmt.Sprintf("/data/%d/%d", i%7, i))
	}
	return out
}

// Ten times the grants are ten times the work, not a hundred: counted in
// allocations, which depend on no clock.
func TestResolveIsLinear(t *testing.T) {
	work := func(n int) float64 {
		s := Spec{View: manyGrants(t, n)}
		return testing.AllocsPerRun(1, func() {
			if v, faults := resolve(s); len(v.mounts) != n+2 || len(faults) > 0 { // and /tmp and /dev/shm
				t.Fatalf("%d mounts of %d grants (%v)", len(v.mounts), n, faults)
			}
		})
	}
	few, many := work(200), work(2000)
	if many > 15*few {
		t.Errorf("%.0f allocations for 200 grants and %.0f for 2,000", few, many)
	}
}

// A box of 10,000 grants either has them all or says which limit is in the
// way; here it has them.
func TestTenThousandGrants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := shell("cat /data/*/* | wc -c")
	s.View = append(s.View, manyGrants(t, 10000)...)
	wantStdout(t, runBox(t, s, IO{}), "10000\n")
}
