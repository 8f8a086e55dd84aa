package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// warmUp is how many rounds run before those that count.
const warmUp = 3

// order is the order of n contenders in a round: another one each time, or each
// would always bear what the one before it left to be cleared away. It is the
// same in every report.
func order(round, n int) []int { return rand.New(rand.NewPCG(uint64(round), 1)).Perm(n) }

// paired runs every contender once a round, and returns the times in
// milliseconds, by name and round.
func (b *bench) paired(list []contender, rounds int) (map[string][]float64, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	times := map[string][]float64{}
	for i := range warmUp + rounds {
		for _, j := range order(i, len(list)) {
			c := list[j]
			took, err := b.run(c.cmd, null)
			if err != nil {
				return nil, err
			}
			if i >= warmUp {
				times[c.name] = append(times[c.name], milliseconds(took))
			}
		}
	}
	return times, b.checkRecords(list, warmUp+rounds)
}

// times is the table of a paired run.
func (b *bench) times(title string, j job, rounds int) (table, error) {
	list, err := b.contenders(j)
	if err != nil {
		return table{}, err
	}
	times, err := b.paired(list, rounds)
	if err != nil {
		return table{}, err
	}
	t := table{title: title, note: fmt.Sprintf("n = %d rounds, milliseconds.", rounds),
		head: append([]string{"", "min", "median", "p95"}, ratioHeads(bases())...)}
	for _, c := range list {
		v := times[c.name]
		t.row(c, concat([]string{number(quantile(v, 0)), number(median(v)), number(quantile(v, 0.95))}, ratioCells(c.name, times, bases()))...)
	}
	return t, nil
}

func (b *bench) cold(s sizes) (table, error) {
	return b.times("Cold /bin/true", job{argv: []string{"/bin/true"}}, s.cold)
}

// hello is one line printed by an interpreter.
func (b *bench) hello(interpreter string, s sizes) (table, error) {
	title := interpreter + " hello"
	path := "/usr/bin/" + interpreter
	if _, err := os.Stat(path); err != nil {
		b.skip(title + ": there is no " + path)
		return table{title: title, note: "Left out: there is no " + path + "."}, nil
	}
	profile, script := "node", filepath.Join(b.dir, "hello.js")
	if interpreter == "python3" {
		profile, script = "python", filepath.Join(b.dir, "hello.py")
	}
	return b.times(title, job{argv: []string{path, script}, show: []string{script}, profile: profile}, s.hello)
}
