// Command bench measures what a box costs, beside what the same program costs
// in bubblewrap, in the least that a C program can do (floor/floor.c), and bare.
//
//	go run ./test/bench                    # everything, some minutes
//	go run ./test/bench -quick             # a look, under a minute
//	go run ./test/bench -only cold -n 1000
//	go run ./test/bench -out figures.md
//
// All cases of a table run interleaved: each round runs every case once, and
// begins with another one than the round before, so that what else the machine
// does falls on all alike. Ratios are medians of the rounds' own ratios. Time is
// taken on the monotonic clock around fork, exec and wait. Every run's exit
// status is checked, and for jail every record: reason ok, each layer applied.
//
// It asserts nothing about time: figures are for people, on a quiet machine.
// Needed are Debian's bubblewrap and gcc; what is missing is left out, loudly.
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
	bursts      int   // bursts for each case
	output      int64 // bytes of one output run
	outputs     int   // output runs for each case
	samples     int   // of memory
	filters     int   // rounds of the filter table
}

func full(n int) sizes {
	return sizes{cold: n, hello: max(n/3, 1), burst: 400, bursts: 5, output: 1 << 30, outputs: 5, samples: 9, filters: 21}
}

func quick() sizes {
	return sizes{cold: 60, hello: 12, burst: 64, bursts: 2, output: 64 << 20, outputs: 3, samples: 3, filters: 5}
}

// A section is one table of the report.
type section struct {
	name    string
	measure func(*bench, sizes) (table, error)
}

func sections() []section {
	return []section{
		{"cold", (*bench).cold},
		{"python3", func(b *bench, s sizes) (table, error) { return b.hello("python3", s) }},
		{"node", func(b *bench, s sizes) (table, error) { return b.hello("node", s) }},
		{"parallel", (*bench).parallel},
		{"output", (*bench).throughput},
		{"memory", (*bench).memory},
		{"filter", (*bench).filterCost},
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == filterChild {
		exit(callInLoop(os.Args[2:]))
	}
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	n := flag.Int("n", 300, "rounds of the cold table; hello runs a third of it")
	short := flag.Bool("quick", false, "few rounds, under a minute; -n is ignored")
	out := flag.String("out", "", "also write the report, as Markdown, to this `file`")
	only := flag.String("only", strings.Join(names, ","), "the tables to measure")
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
	exit(report(*out, chosen, s))
}

// report measures and prints, table by table.
func report(path string, chosen []string, s sizes) error {
	w := io.Writer(os.Stdout)
	if path != "" {
		f, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("bench: -out: %w", err)
		}
		defer f.Close()
		w = io.MultiWriter(os.Stdout, f)
	}
	b, err := prepare()
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Fprint(w, b.header())
	for _, sec := range sections() {
		if !slices.Contains(chosen, sec.name) {
			continue
		}
		t, err := sec.measure(b, s)
		if err != nil {
			return fmt.Errorf("bench: %s: %w", sec.name, err)
		}
		if _, err := io.WriteString(w, b.abbreviate(t.markdown())); err != nil {
			return fmt.Errorf("bench: report: %w", err)
		}
	}
	_, err = io.WriteString(w, "\n"+load("at the end")+"\n")
	return err
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
