package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == readOnlyFlag {
		fmt.Fprintln(os.Stderr, readOnly(os.Args[2:]))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o := parseFlags()
	ok, err := o.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// options are the command's.
type options struct {
	list     bool
	hosts    string
	roles    string
	suites   string
	without  string
	filter   string
	skip     string
	parallel int
	json     string
	docs     string
	fetch    bool
	verbose  bool
	update   bool
	within   time.Duration
}

func parseFlags() options {
	var o options
	flag.BoolVar(&o.list, "list", false, "say which hosts and suites there are, and run nothing")
	flag.StringVar(&o.hosts, "hosts", "", "only these `hosts`, by name, separated by commas; NAME:ROLE is one role alone")
	flag.StringVar(&o.roles, "roles", "root,user", "as whom: `root`, user or both")
	flag.StringVar(&o.suites, "suites", "", "only these `suites`, by name, separated by commas")
	flag.StringVar(&o.without, "without", "", "all but these `suites`")
	flag.StringVar(&o.filter, "run", "", "only the tests, and programs, that match this `regexp`")
	flag.StringVar(&o.skip, "skip", "", "no tests, and programs, that match this `regexp`")
	flag.IntVar(&o.parallel, "parallel", 2, "how many guests at once")
	flag.StringVar(&o.json, "json", "", "write the results to this `file`, and read those of other hosts that it holds")
	flag.StringVar(&o.docs, "docs", "", "write the table of all results to this `file`; needs -json")
	flag.BoolVar(&o.fetch, "fetch", false, "fetch and build what the hosts need, and run nothing")
	flag.BoolVar(&o.update, "update", false, "keep what jail doctor says on each host in "+documents+", instead of comparing with what is there")
	flag.DurationVar(&o.within, "within", 0, "end after this `time`, as in 60m; what was not run by then is recorded as that")
	flag.BoolVar(&o.verbose, "v", false, "print what the guests print")
	flag.Parse()
	return o
}

// run does what the options say. It is false where a test failed.
func (o options) run(ctx context.Context) (bool, error) {
	if flag.NArg() > 0 {
		return false, fmt.Errorf("%q: takes flags only", flag.Args())
	}
	if o.docs != "" && o.json == "" {
		return false, errors.New("-docs: needs -json, the results of all hosts")
	}
	hosts, err := o.picks()
	if err != nil {
		return false, err
	}
	chosen, err := o.chosen()
	if err != nil {
		return false, err
	}
	if o.list {
		return true, list(hosts, chosen)
	}
	ctx, stop := o.deadline(ctx)
	defer stop()
	if os.Geteuid() != 0 {
		return false, errors.New("run it as root: it sees to it that guests can change nothing on the host")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return false, err
	}
	cache = filepath.Join(cache, "jail-guest")
	images, err := fetchAll(cache, hosts)
	if err != nil || o.fetch {
		return true, err
	}
	parser, err := parserFor(cache, chosen)
	if err != nil {
		return false, err
	}
	old, err := readResults(o.json)
	if err != nil {
		return false, err
	}
	work, err := newWorkshop(chosen)
	if err != nil {
		return false, err
	}
	defer work.close()
	work.parser = parser
	bouts, err := o.bouts(hosts, chosen, images, work)
	if err != nil {
		return false, err
	}
	var ran []result
	results, err := runAll(ctx, bouts, o.parallel, func(r result) error {
		ran = add(ran, r)
		return o.save(merge(slices.Clone(old), ran))
	})
	ok := summarize(results)
	if !outOfTime(ctx) {
		err = errors.Join(err, ctx.Err())
	}
	return ok, err
}

// chosen are the suites of the options.
func (o options) chosen() ([]suite, error) {
	name := func(s suite) string { return s.name }
	chosen, err := choose(suites(), o.suites, name)
	if err != nil {
		return nil, fmt.Errorf("-suites: %w", err)
	}
	if o.without == "" {
		return chosen, nil
	}
	left, err := choose(suites(), o.without, name)
	if err != nil {
		return nil, fmt.Errorf("-without: %w", err)
	}
	return slices.DeleteFunc(chosen, func(s suite) bool {
		return slices.ContainsFunc(left, func(l suite) bool { return l.name == s.name })
	}), nil
}

// choose picks from a list by name; no names are all.
func choose[T any](all []T, names string, name func(T) string) ([]T, error) {
	if names == "" {
		return all, nil
	}
	var chosen []T
	for _, want := range strings.Split(names, ",") {
		i := slices.IndexFunc(all, func(t T) bool { return name(t) == want })
		if i < 0 {
			return nil, fmt.Errorf("%q: there is no such one; -list says which there are", want)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// A pick is a host, and who it is run for.
type pick struct {
	class
	roles []string
}

// picks are the hosts and roles of the options.
func (o options) picks() ([]pick, error) {
	everyone := strings.Split(o.roles, ",")
	for _, role := range everyone {
		if role != "root" && role != "user" {
			return nil, fmt.Errorf("%q: is no role; want root or user", role)
		}
	}
	names := strings.Split(o.hosts, ",")
	if o.hosts == "" {
		names = nil
		for _, h := range hosts() {
			names = append(names, h.name)
		}
	}
	var list []pick
	for _, name := range names {
		name, role, alone := strings.Cut(name, ":")
		found, err := choose(hosts(), name, func(h class) string { return h.name })
		if err != nil {
			return nil, fmt.Errorf("-hosts: %w", err)
		}
		p := pick{class: found[0]}
		for _, r := range found[0].roles() {
			if alone && r == role || !alone && slices.Contains(everyone, r) {
				p.roles = append(p.roles, r)
			}
		}
		if alone && len(p.roles) == 0 {
			return nil, fmt.Errorf("%s has no role %q; want one of %s", name, role, strings.Join(found[0].roles(), ", "))
		}
		list = append(list, p)
	}
	return list, nil
}

func list(hosts []pick, suites []suite) error {
	for _, h := range hosts {
		fmt.Printf("host   %-22s %s\n", h.name, h.what)
	}
	for _, s := range suites {
		fmt.Printf("suite  %-22s %s\n", s.name, s.what)
	}
	return nil
}

func fetchAll(cache string, hosts []pick) (map[string]image, error) {
	images := map[string]image{}
	for _, h := range hosts {
		if _, ok := images[h.kernel.name]; ok || h.kernel.kind == here {
			continue
		}
		image, err := fetchImage(cache, h.kernel)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.kernel.name, err)
		}
		images[h.kernel.name] = image
	}
	return images, nil
}
