package jail

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// groups are the cgroups of runs of this name.
func groups(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "jail-"+name) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}
