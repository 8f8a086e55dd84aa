package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// callers are how many start runs at once, and mostCallers the last of them.
func callers() []int { return []int{1, 2, 8, 32, mostCallers} }

const (
	mostCallers = 200
	// slowCallers is where the slow ones are left out: 200 of them at once
	// would measure the machine's memory.
	slowCallers = 32
)

// A burst is a number of runs by some callers at once.
type burst struct {
	rate  float64   // runs a second
	times []float64 // of single runs, in milliseconds
	cpu   float64   // processor time of the run's processes, milliseconds a run
	busy  float64   // of the machine's processors, the share that was not idle
}

// burst runs c total times from so many callers. Starting is one at a time
// (a Go program forks under a lock), the runs themselves are not.
func (b *bench) burst(c command, callers, total int) (burst, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return burst{}, err
	}
	defer null.Close()
	return burstOf(callers, total, func(caller int) (time.Duration, error) {
		mine := c
		mine.slot = caller
		return b.run(mine, null)
	})
}

// burstOf is a burst of anything that one of the callers may run.
func burstOf(callers, total int, run func(caller int) (time.Duration, error)) (burst, error) {
	times := make([]float64, total)
	errs := make([]error, callers)
	var next atomic.Int64
	var all sync.WaitGroup
	before, began := usage(), time.Now()
	for i := range callers {
		all.Go(func() {
			for n := next.Add(1); n <= int64(total) && errs[i] == nil; n = next.Add(1) {
				var took time.Duration
				took, errs[i] = run(i)
				times[n-1] = milliseconds(took)
			}
		})
	}
	all.Wait()
	took, after := time.Since(began), usage()
	got := burst{rate: float64(total) / took.Seconds(), times: times, cpu: milliseconds(after.children-before.children) / float64(total)}
	if ticks := after.ticks - before.ticks; ticks > 0 {
		got.busy = 1 - (after.idle-before.idle)/ticks
	}
	return got, errors.Join(errs...)
}

// used is processor time so far: of the processes that were waited for, and
// the machine's in its own unit.
type used struct {
	children    time.Duration
	idle, ticks float64
}

func usage() (u used) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r) == nil {
		u.children = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	text, _ := os.ReadFile("/proc/stat")
	first, _, _ := strings.Cut(string(text), "\n")
	// proc_stat(5): user nice system idle iowait irq softirq steal, and guests'
	// time, which is among user's.
	for i, f := range strings.Fields(strings.TrimPrefix(first, "cpu")) {
		v, _ := strconv.ParseFloat(f, 64)
		if i < 8 {
			u.ticks += v
		}
		if i == 3 || i == 4 {
			u.idle += v
		}
	}
	return u
}

func (b *bench) parallel(s sizes) (table, error) {
	all, err := b.contenders(job{argv: []string{"/bin/true"}})
	if err != nil {
		return table{}, err
	}
	t := table{title: "Parallel /bin/true",
		note: fmt.Sprintf("%d bursts of %d runs (%d of a slow launcher, which sits out %d callers), or one for each caller if that is more, interleaved; rates are medians of bursts, times (milliseconds) of all runs. CPU is processor time of the runs' own processes, milliseconds a run; busy is how much of all processors was not idle, whoever used them: a low figure at many callers means that runs wait for each other. All are started by one process, one after the other.", s.bursts, s.burst, s.slowBurst, mostCallers),
		head: append([]string{"", "callers", "runs/s", "p50", "p95", "p99", "CPU", "busy"}, ratioHeads(prefixed("rate of ", bases()))...)}
	for _, n := range callers() {
		list := all
		if n > slowCallers {
			list = brisk(all)
		}
		if err := b.bursts(&t, list, n, s); err != nil {
			return table{}, err
		}
	}
	for _, c := range all {
		t.command(c)
	}
	return t, nil
}

// bursts adds the rows of one number of callers.
func (b *bench) bursts(t *table, list []contender, callers int, s sizes) error {
	rates, times, cpu, busy := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	total := func(c contender) int {
		if c.slow {
			return max(s.slowBurst, callers)
		}
		return max(s.burst, callers)
	}
	for i := range s.bursts {
		for _, j := range order(i, len(list)) {
			c := list[j]
			got, err := b.burst(c.cmd, callers, total(c))
			if err != nil {
				return fmt.Errorf("%d callers: %w", callers, err)
			}
			rates[c.name], cpu[c.name], busy[c.name] = append(rates[c.name], got.rate), append(cpu[c.name], got.cpu), append(busy[c.name], got.busy)
			times[c.name] = append(times[c.name], got.times...)
		}
	}
	for _, c := range list {
		v := times[c.name]
		t.figures(c.name, concat([]string{itoa(callers), number(median(rates[c.name])), number(median(v)), number(quantile(v, 0.95)), number(quantile(v, 0.99)),
			number(median(cpu[c.name])), fmt.Sprintf("%.0f %%", 100*median(busy[c.name]))}, ratioCells(c.name, rates, bases()))...)
	}
	return b.checkRecords(list, s.bursts*max(s.burst, callers))
}
