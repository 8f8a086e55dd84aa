package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A burst is a number of runs by some callers at once.
type burst struct {
	rate  float64   // runs a second
	times []float64 // of single runs, in milliseconds
}

// burst runs c total times from so many callers. Starting is one at a time
// (a Go program forks under a lock), the runs themselves are not.
func (b *bench) burst(c command, callers, total int) (burst, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return burst{}, err
	}
	defer null.Close()
	times := make([]float64, total)
	errs := make([]error, callers)
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for i := range callers {
		all.Go(func() {
			for n := next.Add(1); n <= int64(total) && errs[i] == nil; n = next.Add(1) {
				var took time.Duration
				took, errs[i] = b.run(c, null)
				times[n-1] = milliseconds(took)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	return burst{rate: float64(total) / took.Seconds(), times: times}, errors.Join(errs...)
}

func (b *bench) parallel(s sizes) (table, error) {
	argv := []string{"/bin/true"}
	list := pick(b.contenders(argv, "", concat([]string{"--"}, argv)), bare, floorName, bubbleRule, jailName)
	t := table{title: "Parallel /bin/true",
		note: fmt.Sprintf("%d bursts of %d runs for each case and number of callers, interleaved; rates are medians of bursts, times (milliseconds) of all runs. All are started by one process, one after the other", s.bursts, s.burst),
		head: []string{"", "callers", "runs/s", "p50", "p95", "rate × " + bubbleRule}}
	for _, callers := range []int{1, 2, 8, 32} {
		rates, times := map[string][]float64{}, map[string][]float64{}
		for i := range s.bursts {
			for j := range list {
				c := list[(i+j)%len(list)]
				got, err := b.burst(c.cmd, callers, s.burst)
				if err != nil {
					return table{}, err
				}
				rates[c.name] = append(rates[c.name], got.rate)
				times[c.name] = append(times[c.name], got.times...)
			}
		}
		if err := b.checkRecords(list, s.bursts*s.burst); err != nil {
			return table{}, err
		}
		for _, c := range list {
			v := times[c.name]
			t.figures(c.name, fmt.Sprint(callers), number(median(rates[c.name])), number(median(v)), number(quantile(v, 0.95)), ratioCell(rates[c.name], rates[bubbleRule]))
		}
	}
	for _, c := range list {
		t.command(c)
	}
	return t, nil
}
