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

// ratioHeads are the heads of the columns that compare with the bases.
func ratioHeads(bases []string) (heads []string) {
	for _, name := range bases {
		heads = append(heads, "× "+name)
	}
	return heads
}

func prefixed(prefix string, names []string) (all []string) {
	for _, n := range names {
		all = append(all, prefix+n)
	}
	return all
}

// ratioCells are the ratios of a case to each of the bases, or a dash where
// there is none.
func ratioCells(name string, values map[string][]float64, bases []string) (cells []string) {
	for _, base := range bases {
		if len(values[base]) == 0 {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, fmt.Sprintf("%.2f", ratio(values[name], values[base])))
	}
	return cells
}
