package main

import (
	"os"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0.95, 7},
		{[]float64{3, 1, 2}, 0, 1},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{3, 1, 2}, 1, 3},
		{[]float64{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.95, 20},
	} {
		if got := quantile(tc.values, tc.q); got != tc.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", tc.values, tc.q, got, tc.want)
		}
	}
}

// TestRatioIsPaired: a moment that slows both of a pair does not show.
func TestRatioIsPaired(t *testing.T) {
	for _, tc := range []struct {
		values, base []float64
		want         float64
	}{
		{[]float64{2, 200, 2}, []float64{1, 100, 1}, 2},
		{[]float64{1, 2, 3}, []float64{2, 4, 6}, 0.5},
		{[]float64{1}, nil, 0},
	} {
		if got := ratio(tc.values, tc.base); got != tc.want {
			t.Errorf("ratio(%v, %v) = %v, want %v", tc.values, tc.base, got, tc.want)
		}
	}
}

func TestCommandIsAShellLine(t *testing.T) {
	for _, tc := range []struct {
		c    command
		want string
	}{
		{command{argv: []string{"sh", "-c", "echo 'a b'"}}, `sh -c 'echo '\''a b'\'''`},
		{command{argv: []string{"bwrap"}, third: "f", flags: os.O_RDONLY}, "bwrap 3<f"},
		{command{argv: []string{"jail", ""}, third: "r", flags: os.O_WRONLY | os.O_APPEND}, "jail '' 3>>r"},
	} {
		if got := tc.c.String(); got != tc.want {
			t.Errorf("%q.String() = %s, want %s", tc.c.argv, got, tc.want)
		}
	}
}
