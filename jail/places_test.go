package jail

import "testing"

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		dir, path, at string
		ok            bool
	}{
		{"/a", "/a/b", "/a/b", true},
		{"/a", "/ab", "", false},
		{"/", "/a", "/a", true},
		{dir, dir + "/not/there", dir + "/not/there", true},
		{dir + "/x", dir + "/y", "", false},
		{dir, "/proc/self/status", "", false},
	} {
		if at, ok := NewPlaces().Within(tt.dir, tt.path); at != tt.at || ok != tt.ok {
			t.Errorf("Within(%q, %q) = %q, %v, want %q, %v", tt.dir, tt.path, at, ok, tt.at, tt.ok)
		}
	}
}

func BenchmarkPlaces(b *testing.B) {
	for b.Loop() {
		NewPlaces().Within("/usr/share", "/usr/bin")
	}
}
