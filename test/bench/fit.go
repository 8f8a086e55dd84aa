package main

import (
	"fmt"
	"math"
)

// A growth is how a cost rises with a number of things.
type growth struct {
	each     float64 // from the smallest number to the largest, a thing
	exponent float64 // k, where the rise is n^k
	points   int     // that exponent was fitted to
}

// visible is the least rise that is told from noise, as a share of the cost at
// the smallest number.
const visible = 0.25

// fit fits cost(n) = cost(smallest) + a·n^k by least squares over the logarithms
// of what can be told from noise. A point weighs as much as the rise is of its
// cost: small rises are mostly noise.
func fit(numbers []int, cost []float64) growth {
	last := len(numbers) - 1
	g := growth{each: (cost[last] - cost[0]) / float64(numbers[last]-numbers[0])}
	if cost[last]-cost[0] < visible*cost[0] {
		return g
	}
	var w, wx, wy, wxx, wxy float64
	for i := 1; i <= last; i++ {
		rise := cost[i] - cost[0]
		if rise < visible*cost[0] {
			continue
		}
		weight := (rise / cost[i]) * (rise / cost[i])
		x, y := math.Log(float64(numbers[i]-numbers[0])), math.Log(rise)
		w, wx, wy, wxx, wxy = w+weight, wx+weight*x, wy+weight*y, wxx+weight*x*x, wxy+weight*x*y
		g.points++
	}
	if g.points >= 2 {
		g.exponent = (w*wxy - wx*wy) / (w*wxx - wx*wx)
	}
	return g
}

// The exponents between which growth is called linear: what a fit over noisy
// medians can tell. Below the least, what rises does not go with the number.
const (
	leastGrowth = 0.2
	leastLinear = 0.85
	mostLinear  = 1.15
)

func (g growth) String() string {
	switch {
	case g.points == 0:
		return "none to be seen"
	case g.points == 1:
		return "seen at one number only: no shape"
	case g.exponent < leastGrowth:
		return "none to be told from noise"
	case g.exponent < leastLinear:
		return fmt.Sprintf("less than linear, n^%.2f", g.exponent)
	case g.exponent > mostLinear:
		return fmt.Sprintf("MORE than linear, n^%.2f", g.exponent)
	}
	return fmt.Sprintf("linear, n^%.2f", g.exponent)
}
