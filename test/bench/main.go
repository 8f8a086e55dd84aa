// Command bench measures what a box costs, beside what the same program costs
// in other launchers, in the least that a C program can do (floor/floor.c), and
// bare.
//
//	go run ./test/bench                       # everything, a quarter of an hour
//	go run ./test/bench -quick                # a look, two minutes
//	go run ./test/bench -only cold -n 1000
//	go run ./test/bench -install              # the packages of other launchers first
//	go run ./test/bench -peer nsjail=/path    # one that has no package
//	go run ./test/bench -docs docs/speed.md   # and write the page
//
// All cases of a table run interleaved: each round runs every case once, in
// another order than the round before, so that what else the machine does, and
// what a case leaves to be cleared away, falls on all alike. Ratios are medians
// of the rounds' own ratios. Time is taken on the monotonic clock around fork,
// exec and wait. Every run's exit status is checked, and for jail every record:
// reason ok, each layer applied.
//
// It asserts nothing about time: figures are for people, on a quiet machine.
// What is missing is left out, loudly. Most other launchers need root with the
// options that make them strong.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// sizes says how much is measured.
type sizes struct {
	cold, hello int   // rounds
	burst       int   // runs in one burst of the parallel table
	slowBurst   int   // the same of a slow launcher
	bursts      int   // bursts for each case
	growth      int   // rounds of the growth tables
	output      int64 // bytes of one output run
	outputs     int   // output runs for each case
	samples     int   // of memory
	filters     int   // rounds of the filter table
}

// leastRounds are those of the cold table for figures that are to be cited.
const leastRounds = 200

func full(n int) sizes {
	return sizes{cold: n, hello: max(n/3, 1), burst: 400, slowBurst: 50, bursts: 5, growth: max(n/15, 1), output: 1 << 30, outputs: 5, samples: 9, filters: 21}
}

func quick() sizes {
	return sizes{cold: 10, hello: 3, burst: 40, slowBurst: 4, bursts: 1, growth: 3, output: 64 << 20, outputs: 2, samples: 1, filters: 3}
}

// A section is one table of the report.
type section struct {
	name    string
	measure func(*bench, sizes) (table, error)
}

func sections() []section {
	return []section{
		{"walls", (*bench).walls},
		{"cold", (*bench).cold},
		{"python3", func(b *bench, s sizes) (table, error) { return b.hello("python3", s) }},
		{"node", func(b *bench, s sizes) (table, error) { return b.hello("node", s) }},
		{"warm", (*bench).warm},
		{"parallel", (*bench).parallel},
		{"warmparallel", (*bench).warmParallel},
		{"grants", (*bench).grants},
		{"mounts", (*bench).mounts},
		{"output", (*bench).throughput},
		{"memory", (*bench).memory},
		{"filter", (*bench).filterCost},
		{"denials", (*bench).denials},
		{"listener", (*bench).listener},
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == denialChild {
		exit(callRefused())
	}
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	given := peers{}
	n := flag.Int("n", 300, "rounds of the cold table; hello runs a third of it, growth a fifteenth")
	short := flag.Bool("quick", false, "few rounds, two minutes; -n is ignored")
	installs := flag.Bool("install", false, "install the packages of other launchers first")
	docs := flag.String("docs", "", "also write the report, as a page, to this `file`")
	only := flag.String("only", strings.Join(names, ","), "the tables to measure")
	flag.Var(given, "peer", "`NAME=PATH` of a launcher that is in no package; may be given more than once: "+strings.Join(peerNames(), ", "))
	flag.Parse()
	chosen := strings.Split(*only, ",")
	for _, c := range chosen {
		if !slices.Contains(names, c) {
			exit(fmt.Errorf("bench: -only: %q: want some of %s", c, strings.Join(names, ",")))
		}
	}
	if *n < 1 || flag.NArg() > 0 {
		exit(fmt.Errorf("bench: want -n of 1 or more, and no arguments"))
	}
	s := full(*n)
	if *short {
		s = quick()
	}
	if *installs {
		if err := install(); err != nil {
			exit(err)
		}
	}
	text, err := report(given, chosen, s)
	if err == nil && *docs != "" {
		err = page{*docs, s.cold >= leastRounds && len(chosen) == len(names)}.write(text)
	}
	exit(err)
}

// report measures and prints, table by table, and returns all that it printed.
func report(given peers, chosen []string, s sizes) (string, error) {
	b, err := prepare(given)
	if err != nil {
		return "", err
	}
	defer b.close()
	var all strings.Builder
	w := io.MultiWriter(os.Stdout, &all)
	fmt.Fprint(w, b.header())
	for _, sec := range sections() {
		if !slices.Contains(chosen, sec.name) {
			continue
		}
		t, err := sec.measure(b, s)
		if err != nil {
			return "", fmt.Errorf("bench: %s: %w", sec.name, err)
		}
		if _, err := io.WriteString(w, b.abbreviate(t.markdown())); err != nil {
			return "", fmt.Errorf("bench: report: %w", err)
		}
	}
	_, err = io.WriteString(w, "\n"+b.leftOut()+"- "+load("at the end")+"\n")
	return all.String(), err
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
