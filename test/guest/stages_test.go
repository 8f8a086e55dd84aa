package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a whole run begins with is what it is for: every host, then the attacks.
func TestStages(t *testing.T) {
	var names []string
	list, err := options{}.bouts(picked(), suites(), nil, workshop{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		for _, s := range b.suites {
			names = append(names, b.class.name+" "+b.role()+" "+s.name)
		}
	}
	last := -1
	for _, want := range []string{"here root container", "qemu-6.12-none user doctor", "here root escape", "qemu-6.1 user escape",
		"qemu-7.3 user escape", "qemu-6.12 root escape", "qemu-6.12 user jail", "qemu-6.12 root jail", "uml-6.1 user escape"} {
		at := slices.Index(names, want)
		if at <= last {
			t.Errorf("%q is at %d, want it after %d", want, at, last)
		}
		last = at
	}
	if no := "qemu-5.10 user escape"; slices.Contains(names, no) {
		t.Errorf("%q is run, where no box is", no)
	}
}

func picked() (list []pick) {
	for _, h := range hosts() {
		list = append(list, pick{h, h.roles()})
	}
	return list
}

// What the time did not suffice for is recorded as that, and the page says so.
func TestOutOfTime(t *testing.T) {
	ctx, stop := options{within: time.Nanosecond}.deadline(context.Background())
	defer stop()
	<-ctx.Done()
	list, err := options{suites: "cgroups", roles: "root"}.bouts(picked(), suites()[2:3], nil, workshop{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := runAll(ctx, list, 2, func(result) error { return nil })
	if err != nil || !outOfTime(ctx) {
		t.Fatalf("runAll: %v; out of time: %v", err, outOfTime(ctx))
	}
	for i, r := range results {
		if !r.fine() || len(r.Jobs) != 1 || r.Jobs[0].NotRun != "out of time" {
			t.Errorf("%s: %+v, want one job that was not run", list[i].name(), r)
		}
	}
	text := page(results, "go run it")
	for _, want := range []string{"| qemu-6.1, root | 0s | not run: not asked for | not run: not asked for | not run: out of time | not run: not asked for |",
		"| container | — | not run: not asked for | |", "cgroups not run: out of time"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// What is left out is left out of everything, and nothing else is asked for by that.
func TestWithout(t *testing.T) {
	chosen, err := options{without: "programs,escape"}.chosen()
	if err != nil || len(chosen) != len(suites())-2 || slices.ContainsFunc(chosen, func(s suite) bool { return s.name == "escape" }) {
		t.Errorf("chosen = %+v, %v", chosen, err)
	}
	if _, err := (options{without: "no such"}).chosen(); err == nil {
		t.Error("a suite that is not there was left out")
	}
}

// Several boots of one host are one result.
func TestAdd(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(9, 0)
	ran := add(nil, result{Host: "a", Role: "root", At: early, Kernel: "6.1", BootMS: 5, TookMS: 10, Jobs: []ended{{Name: "x"}}})
	ran = add(ran, result{Host: "a", Role: "user"})
	ran = add(ran, result{Host: "a", Role: "root", At: late, Ended: late, Kernel: "6.1", BootMS: 7, TookMS: 30, Jobs: []ended{{Name: "y"}}, Fault: "it broke"})
	r := ran[0]
	if len(ran) != 2 || r.At != early || r.Ended != late || r.TookMS != 40 || r.BootMS != 5 || len(r.Jobs) != 2 || r.Fault != "it broke" {
		t.Errorf("add = %+v", ran)
	}
}

// So is what a signal kept from being run.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	list, err := options{suites: "cgroups", roles: "root"}.bouts(picked(), suites()[2:3], nil, workshop{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := runAll(ctx, list, 2, func(result) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if !r.fine() || len(r.Jobs) != 1 || r.Jobs[0].NotRun != "interrupted" {
			t.Errorf("%s: %+v, want one job that was not run", list[i].name(), r)
		}
	}
}
