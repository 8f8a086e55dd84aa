package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed filter/filter.c
var filterSource []byte

// filterCost is what a filter costs once, when it is attached, and then on
// every system call.
func (b *bench) filterCost(s sizes) (table, error) {
	t := table{title: "The filter itself"}
	program, err := b.compile("filter", filterSource)
	if err != nil {
		return t, err
	}
	if program == "" {
		t.note = "not measured: there is no gcc for what measures it"
		return t, nil
	}
	const one = "1 instruction: allow"
	list := []contender{
		{name: "no filter", cmd: command{argv: []string{program}}},
		{name: one, cmd: command{argv: []string{program, b.oneFilter}}},
		{name: fmt.Sprintf("jail's, %d instructions", b.program.Len()), cmd: command{argv: []string{program, b.filter}}},
	}
	attach, call := map[string][]float64{}, map[string][]float64{}
	for i := range s.filters {
		for _, j := range order(i, len(list)) {
			c := list[j]
			a, n, err := b.oneLoop(c.cmd)
			if err != nil {
				return table{}, err
			}
			attach[c.name], call[c.name] = append(attach[c.name], a), append(call[c.name], n)
		}
	}
	t.note = fmt.Sprintf("n = %d rounds; by a C program of one thread (test/bench/filter): getpid in a loop, the fastest of five batches a round, ns a call; attaching, µs.", s.filters)
	t.head = concat([]string{"", "attach min", "attach median", "attach p95", "getpid min", "getpid median", "getpid p95"}, ratioHeads([]string{one}))
	for _, c := range list {
		n, a := call[c.name], attach[c.name]
		t.row(c, concat([]string{number(quantile(a, 0)), number(median(a)), number(quantile(a, 0.95)), number(quantile(n, 0)), number(median(n)), number(quantile(n, 0.95))}, ratioCells(c.name, call, []string{one}))...)
	}
	return t, nil
}

// oneLoop runs it once: microseconds of attaching, nanoseconds a call.
func (b *bench) oneLoop(c command) (attach, call float64, err error) {
	text, err := b.output(c)
	if err != nil {
		return 0, 0, err
	}
	first, second, _ := strings.Cut(strings.TrimSpace(text), " ")
	attach, err = strconv.ParseFloat(first, 64)
	if err == nil {
		call, err = strconv.ParseFloat(second, 64)
	}
	return attach / 1e3, call, err
}
