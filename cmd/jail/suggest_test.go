package main

import "testing"

func TestNearest(t *testing.T) {
	flags := []string{"memory", "timeout", "tty", "ro", "rw", "record", "require", "output", "output-mode", "net", "name"}
	for word, want := range map[string]string{
		"memry": "memory", "memroy": "memory", "mem": "memory", "time": "timeout", "reccord": "record", "oputput": "output",
		"output-moed": "output-mode", "nett": "net", "re": "ro", "frobnicate": "", "": "", "x": "", "ttty": "tty",
	} {
		if got := nearest(word, flags); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"abc", "abcd", 1},
		{"abc", "xbc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
