package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

const (
	warmSize  = 4
	warmPause = 15 * time.Millisecond // before each run: the next box is being made, and the last cleared away
)

// warmKinds are the ways to run a program from Go, the bare one first.
var warmKinds = [...]string{"os/exec", "jail.Pool", "jail.Run"}

// warm is what a program costs that is run from Go: bare, in a box that is ready,
// and in one that is made for it.
func (b *bench) warm(s sizes) (table, error) {
	t := table{title: "Warm, from Go",
		note: fmt.Sprintf("n = %d rounds, milliseconds, %v of rest before each run; a pool of %d boxes. "+
			"All three capture the program's output, and its end is waited for.", s.cold, warmPause, warmSize),
		head: []string{"", "min", "median", "p95", "× " + warmKinds[0]}}
	for _, p := range []struct {
		profile string
		args    []string // behind the profile's interpreter
	}{
		{"exec", []string{"/bin/true"}},
		{"python", []string{"-c", "pass"}},
		{"node", []string{"-e", "0"}},
	} {
		spec, err := specOf(p.profile, p.args)
		if err != nil {
			b.skip("warm, profile " + p.profile + ": " + err.Error())
			continue
		}
		times, err := warmTimes(spec, s.cold)
		if err != nil {
			return table{}, err
		}
		for _, kind := range warmKinds {
			v := times[kind]
			t.figures(kind+": "+shown(spec.Args), number(quantile(v, 0)), number(median(v)), number(quantile(v, 0.95)),
				fmt.Sprintf("%.2f", ratio(v, times[warmKinds[0]])))
		}
	}
	return t, nil
}

// shown is a command line. An interpreter of somebody's own is named without its folder.
func shown(args []string) string {
	program := args[0]
	if !strings.HasPrefix(program, "/usr/") && !strings.HasPrefix(program, "/bin/") {
		program = "…/" + filepath.Base(program)
	}
	return strings.Join(append([]string{program}, args[1:]...), " ")
}

func specOf(profile string, args []string) (jail.Spec, error) {
	host := profiles.CurrentHost()
	p, err := profiles.Load(profile, host)
	if err != nil {
		return jail.Spec{}, err
	}
	return p.Spec(args, profiles.Overrides{}, host)
}

// warmTimes runs a program in every way once a round.
func warmTimes(spec jail.Spec, rounds int) (map[string][]float64, error) {
	ctx := context.Background()
	pool, err := jail.NewPool(ctx, spec, warmSize)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	run := waysToRun(ctx, spec, pool, func(r jail.Result) error {
		if !r.Warm {
			return fmt.Errorf("no box was ready")
		}
		return nil
	})
	times := map[string][]float64{}
	for i := range warmUp + rounds {
		for _, j := range order(i, len(warmKinds)) {
			time.Sleep(warmPause)
			began := time.Now()
			err := run[warmKinds[j]]()
			took := time.Since(began)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", warmKinds[j], strings.Join(spec.Args, " "), err)
			}
			if i >= warmUp {
				times[warmKinds[j]] = append(times[warmKinds[j]], milliseconds(took))
			}
		}
	}
	return times, nil
}

// sound demands a record that is worth a figure.
func sound(r jail.Result, err error) error {
	if err != nil {
		return err
	}
	return complete(r)
}
