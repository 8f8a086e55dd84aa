package pathname

import "testing"

func TestBelow(t *testing.T) {
	for _, tt := range []struct {
		p, dir string
		want   bool
	}{
		{"/a", "/a", true}, {"/a/b", "/a", true}, {"/a/b/c", "/a", true}, {"/a/b", "/a/", true}, {"/a", "/", true},
		{"/ab", "/a", false}, {"/a", "/a/b", false}, {"/b", "/a", false}, {"a/b", "/a", false},
	} {
		if got := Below(tt.p, tt.dir); got != tt.want {
			t.Errorf("Below(%q, %q) = %v", tt.p, tt.dir, got)
		}
	}
}
