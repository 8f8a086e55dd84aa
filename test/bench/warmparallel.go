package main

import (
	"context"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// mostReady is the largest pool: more boxes than that wait for nobody on few processors.
const mostReady = 32

// warmParallel is how many runs a second a Go program makes, bare, in boxes of a pool and
// in boxes of their own.
func (b *bench) warmParallel(s sizes) (table, error) {
	t := table{title: "Parallel, from Go: /bin/true",
		note: fmt.Sprintf("%d bursts of %d runs, or one for each caller if that is more, interleaved; rates are medians of bursts, times (milliseconds) of all runs. The pool has a box for each caller, but no more than %d; warm is how many of its runs found one ready. No rest between runs: boxes are made as fast as they are used up, on the same processors.", s.bursts, s.burst, mostReady),
		head: []string{"", "callers", "runs/s", "p50", "p95", "p99", "busy", "warm", "× rate of " + warmKinds[0]}}
	spec, err := specOf("exec", []string{"/bin/true"})
	if err != nil {
		return table{}, err
	}
	for _, n := range callers() {
		if err := warmBursts(&t, spec, n, s); err != nil {
			return table{}, err
		}
	}
	return t, nil
}

// warmBursts adds the rows of one number of callers.
func warmBursts(t *table, spec jail.Spec, callers int, s sizes) error {
	ctx := context.Background()
	pool, err := jail.NewPool(ctx, spec, min(callers, mostReady))
	if err != nil {
		return err
	}
	defer pool.Close()
	var ready, ran atomic.Int64
	kinds := waysToRun(ctx, spec, pool, func(r jail.Result) error {
		ran.Add(1)
		if r.Warm {
			ready.Add(1)
		}
		return nil
	})
	rates, times, busy := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for i := range s.bursts {
		for _, j := range order(i, len(warmKinds)) {
			kind := warmKinds[j]
			got, err := burstOf(callers, max(s.burst, callers), func(int) (time.Duration, error) {
				began := time.Now()
				err := kinds[kind]()
				return time.Since(began), err
			})
			if err != nil {
				return fmt.Errorf("%s, %d callers: %w", kind, callers, err)
			}
			rates[kind], busy[kind] = append(rates[kind], got.rate), append(busy[kind], got.busy)
			times[kind] = append(times[kind], got.times...)
		}
	}
	for _, kind := range warmKinds {
		v, warm := times[kind], "–"
		if kind == "jail.Pool" {
			warm = fmt.Sprintf("%.0f %%", 100*float64(ready.Load())/float64(ran.Load()))
		}
		t.figures(kind, itoa(callers), number(median(rates[kind])), number(median(v)), number(quantile(v, 0.95)), number(quantile(v, 0.99)),
			fmt.Sprintf("%.0f %%", 100*median(busy[kind])), warm, fmt.Sprintf("%.2f", ratio(rates[kind], rates[warmKinds[0]])))
	}
	return nil
}

// waysToRun are warmKinds, each for one run of spec's program. pooled looks at what a
// pool's run came to.
func waysToRun(ctx context.Context, spec jail.Spec, pool *jail.Pool, pooled func(jail.Result) error) map[string]func() error {
	command := jail.Command{Args: spec.Args, Env: spec.Env}
	return map[string]func() error{
		"os/exec": func() error {
			cmd := exec.Command(spec.Args[0], spec.Args[1:]...)
			cmd.Env = spec.Env
			_, err := cmd.CombinedOutput()
			return err
		},
		"jail.Pool": func() error {
			r, err := pool.Run(ctx, command, jail.IO{})
			if err == nil {
				err = pooled(r)
			}
			return sound(r, err)
		},
		"jail.Run": func() error { return sound(jail.Run(ctx, spec)) },
	}
}
