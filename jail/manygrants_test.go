package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
// way. Until a copied tree is attached it is a mount namespace of its own to older
// kernels, of which small machines allow fewer than that (namespaces(7),
// /proc/sys/user).
func TestTenThousandGrants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const grants = 10000
	s := shell("cat /data/*/* | wc -c")
	s.View = append(s.View, manyGrants(t, grants)...)
	s.Limits.Timeout = patience(3 * time.Minute)
	res, err := RunIO(t.Context(), s, IO{})
	if err == nil {
		wantStdout(t, res, fmt.Sprintln(grants))
		return
	}
	limit, unread := os.ReadFile("/proc/sys/user/max_mnt_namespaces")
	allowed, _ := strconv.Atoi(strings.TrimSpace(string(limit)))
	if unread != nil || allowed > grants {
		t.Fatalf("%v, where %s mount namespaces are allowed (%v)", err, limit, unread)
	}
	var setup *SetupError
	if !errors.As(err, &setup) || !errors.Is(err, unix.ENOSPC) || !strings.Contains(setup.Remedy, "max_mnt_namespaces") {
		t.Errorf("%+v, want ENOSPC, and a remedy that names the limit of mount namespaces, %d", err, allowed)
	}
}
