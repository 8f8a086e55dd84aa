package main

import (
	"fmt"
	"slices"
	"time"
)

// quantile is the smallest value that q of the values do not exceed.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// ratio is the median of the pairs' own ratios: round by round, so that a slow
// moment of the machine, which hits both, falls out.
func ratio(values, base []float64) float64 {
	var each []float64
	for i := range min(len(values), len(base)) {
		if base[i] > 0 {
			each = append(each, values[i]/base[i])
		}
	}
	return median(each)
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// ratioCell is the ratio of a case to the base, or a dash where there is none.
func ratioCell(values, base []float64) string {
	if len(base) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", ratio(values, base))
}
