package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// A grant brings the mounts below it along, so none of them may be the
// kernel's. /usr and its like have none; / would have all.
func TestGrantAroundKernelMounts(t *testing.T) {
	places := &Places{mounts: hostmounts.List{{Point: "/srv", Kind: "ext4"}, {Point: "/srv/chroot/proc", Kind: "proc"}}, read: true}
	for source, refused := range map[string]bool{"/srv": true, "/srv/chroot": true, "/srv/chroot/pro": false, "/srv/chroot/bin": false, "/sr": false} {
		r := &resolver{places: places}
		if why := r.kernelMount(source); strings.Contains(why, "/srv/chroot/proc") != refused {
			t.Errorf("kernelMount(%q) = %q, want refused: %v", source, why, refused)
		}
	}
}

// A file system of the kernel's is none to grant wherever it is mounted, nor is a part of
// it, whether or not its type tells.
func TestKernelMountsElsewhere(t *testing.T) {
	for kind, part := range map[string]string{"devtmpfs": "shm", "mqueue": "", "binfmt_misc": "", "pstore": "", "fusectl": "", "tmpfs": ""} {
		t.Run(kind, func(t *testing.T) {
			if has, err := os.ReadFile("/proc/filesystems"); err != nil || !strings.Contains(string(has), "\t"+kind+"\n") {
				t.Skip("not for this kernel, which has no ", kind)
			}
			dir := t.TempDir()
			onto(t, "-t", kind, "none", dir)
			if _, err := os.Stat(filepath.Join(dir, part)); err == nil {
				dir = filepath.Join(dir, part)
			}
			for name, look := range map[string]func(Spec) (view, Faults){"tier 1": resolve, "tier 2": resolveInPlace} {
				_, faults := look(Spec{View: []Mount{ro(dir, dir)}})
				if refused := len(faults) == 1 && faults[0].Want == withheld.InKernels; refused != (kind != "tmpfs") || !refused && len(faults) > 0 {
					t.Errorf("%s: %q", name, faults)
				}
			}
		})
	}
}
