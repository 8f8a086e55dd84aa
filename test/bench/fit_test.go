package main

import (
	"math"
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	numbers := []int{1, 10, 100, 300, 1000}
	for _, tc := range []struct {
		name string
		cost func(n float64) float64
		each float64
		want string
	}{
		{"flat", func(float64) float64 { return 5 }, 0, "none to be seen"},
		{"linear", func(n float64) float64 { return 5 + 0.01*(n-1) }, 0.01, "linear, n^1.00"},
		{"square", func(n float64) float64 { return 5 + 1e-4*(n-1)*(n-1) }, 1e-4 * 999, "MORE than linear, n^2.00"},
		{"root", func(n float64) float64 { return 5 + math.Sqrt(n-1) }, math.Sqrt(999) / 999, "less than linear, n^0.50"},
		{"noise", func(n float64) float64 { return map[float64]float64{1: 5, 10: 9, 100: 5, 300: 8, 1000: 7}[n] }, 2.0 / 999, "none to be told from noise"},
		{"late", func(n float64) float64 { return 5 + n/500 }, 1.0 / 500, "seen at one number only"},
	} {
		var cost []float64
		for _, n := range numbers {
			cost = append(cost, tc.cost(float64(n)))
		}
		g := fit(numbers, cost)
		if math.Abs(g.each-tc.each) > 1e-9 || !strings.HasPrefix(g.String(), tc.want) {
			t.Errorf("fit of %s = %v each, %s; want %v, %s", tc.name, g.each, g, tc.each, tc.want)
		}
	}
}
