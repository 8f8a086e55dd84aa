package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// warmUp is how many rounds run before those that count.
const warmUp = 3

// paired runs every contender once a round, in a rotating order, and returns
// the times in milliseconds, by name and round.
func (b *bench) paired(list []contender, rounds int) (map[string][]float64, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	times := map[string][]float64{}
	for i := range warmUp + rounds {
		for j := range list {
			c := list[(i+j)%len(list)]
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
func (b *bench) times(title string, list []contender, rounds int) (table, error) {
	times, err := b.paired(list, rounds)
	if err != nil {
		return table{}, err
	}
	t := table{title: title, note: fmt.Sprintf("n = %d rounds, milliseconds", rounds),
		head: []string{"", "min", "median", "p95", "× " + bubbleRule}}
	for _, c := range list {
		v := times[c.name]
		t.row(c, number(quantile(v, 0)), number(median(v)), number(quantile(v, 0.95)), ratioCell(v, times[bubbleRule]))
	}
	return t, nil
}

func (b *bench) cold(s sizes) (table, error) {
	argv := []string{"/bin/true"}
	return b.times("Cold /bin/true", b.contenders(argv, "", concat([]string{"--"}, argv)), s.cold)
}

// hello is one line printed by an interpreter.
func (b *bench) hello(interpreter string, s sizes) (table, error) {
	title := interpreter + " hello"
	path := "/usr/bin/" + interpreter
	if _, err := os.Stat(path); err != nil {
		b.skip(title + ": there is no " + path)
		return table{title: title, note: "left out: there is no " + path}, nil
	}
	profile, script := "node", filepath.Join(b.dir, "hello.js")
	if interpreter == "python3" {
		profile, script = "python", filepath.Join(b.dir, "hello.py")
	}
	return b.times(title, b.contenders([]string{path, script}, script, []string{"--profile", profile, script}), s.hello)
}
