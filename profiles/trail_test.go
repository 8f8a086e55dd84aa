package profiles

import (
	"slices"
	"testing"
)

// Climbing ends for whatever it starts from.
func TestUpward(t *testing.T) {
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"/", []string{"/"}},
		{"/a/b", []string{"/a/b", "/a", "/"}},
		{"", nil},
		{".", nil},
		{"a/b", nil},
	} {
		if got := slices.Collect(upward(tt.path)); !slices.Equal(got, tt.want) {
			t.Errorf("upward(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
	var v view
	if _, ok := v.covering("relative"); ok {
		t.Error("a relative path is covered")
	}
	b := &builder{rw: map[string]bool{"/": true}}
	if grant, ok := b.writable(""); ok {
		t.Errorf("writable(\"\") = %q", grant)
	}
}
