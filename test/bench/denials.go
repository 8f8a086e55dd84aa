package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// denialChild is the first argument of the copy of this program that makes refused
// and allowed calls in a box.
const denialChild = "measure-denials"

// deniedCalls are fewer in all than a box has answered at once: beyond that they
// wait, which is no cost but a bound.
const (
	deniedCalls   = 500
	deniedBatches = 5
	loopCalls     = 200_000
	pathCalls     = 500
)

// The names of the two cases, and of the flags by which `jail run` has them.
// Whoever allows seccomp by name has no listener; sync is as much of a rule.
const (
	unheard = "no listener"
	heard   = "listener"
	traced  = "listener, --trace"
)

func listenerFlags(name string) []string {
	switch name {
	case unheard:
		return []string{"--allow-syscall", "seccomp"}
	case traced:
		return []string{"--allow-syscall", "sync", "--trace"}
	}
	return []string{"--allow-syscall", "sync"}
}

// callRefused prints the nanoseconds of a refused call, of an allowed one, and of
// an allowed one that takes a path.
func callRefused() error {
	fastest := func(n int, call func() syscall.Errno, want syscall.Errno) (float64, error) {
		best := time.Duration(1 << 62)
		for range deniedBatches {
			began := time.Now()
			for range n {
				if errno := call(); errno != want {
					return 0, fmt.Errorf("the call was answered %w, want %w", errno, want)
				}
			}
			best = min(best, time.Since(began))
		}
		return float64(best.Nanoseconds()) / float64(n), nil
	}
	denied, err1 := fastest(deniedCalls, func() syscall.Errno {
		_, _, errno := syscall.RawSyscall(unix.SYS_CHROOT, 0, 0, 0)
		return errno
	}, unix.EPERM)
	allowed, err2 := fastest(loopCalls, func() syscall.Errno {
		_, _, errno := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
		return errno
	}, 0)
	var st unix.Stat_t
	path, err3 := fastest(pathCalls, func() syscall.Errno {
		if unix.Stat("/usr", &st) != nil {
			return unix.EIO
		}
		return 0
	}, 0)
	_, err := fmt.Println(denied, allowed, path)
	return errors.Join(err1, err2, err3, err)
}

// denials is what a refused call costs, and an allowed one, in boxes with a listener
// and without.
func (b *bench) denials(s sizes) (table, error) {
	exe := filepath.Join(b.dir, "calls")
	build := exec.Command("go", "build", "-o", exe, "github.com/seed-75010da9/jail/test/bench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // which needs nothing that the box may not have
	if out, err := build.CombinedOutput(); err != nil {
		return table{}, fmt.Errorf("building the program of the calls: %w\n%s", err, out)
	}
	list, err := b.listened(job{argv: []string{exe, denialChild}, show: []string{exe}}, unheard, heard, traced)
	if err != nil {
		return table{}, err
	}
	kinds := []string{"refused", "allowed", "stat"}
	values := map[string]map[string][]float64{}
	for _, k := range kinds {
		values[k] = map[string][]float64{}
	}
	for i := range s.filters {
		for _, j := range order(i, len(list)) {
			text, err := b.output(list[j].cmd)
			if err != nil {
				return table{}, err
			}
			figures := strings.Fields(text)
			if len(figures) != len(kinds) {
				return table{}, fmt.Errorf("%s: it said %q", list[j].name, text)
			}
			for n, k := range kinds {
				ns, err := strconv.ParseFloat(figures[n], 64)
				if err != nil {
					return table{}, fmt.Errorf("%s: %w", list[j].name, err)
				}
				values[k][list[j].name] = append(values[k][list[j].name], ns/1e3)
			}
		}
	}
	t := table{title: "What denials cost", note: fmt.Sprintf("n = %d rounds, µs a call, median (p95); of each round the fastest of %d batches: %d refused calls (chroot), %d allowed ones (getppid), %d that take a path (stat). "+
		"The listener hears of the refused ones, with --trace of paths, too; the ratios are to a box without.", s.filters, deniedBatches, deniedCalls, loopCalls, pathCalls),
		head: []string{"", "refused", "× " + unheard, "allowed", "× " + unheard, "stat", "× " + unheard}}
	for _, c := range list {
		var cells []string
		for _, k := range kinds {
			v := values[k]
			cells = append(cells, fmt.Sprintf("%.3f (%.3f)", median(v[c.name]), quantile(v[c.name], 0.95)), ratioCells(c.name, v, []string{unheard})[0])
		}
		t.row(c, cells...)
	}
	return t, b.checkRecords(list, s.filters)
}

// listener is what it costs a start to have one, where nothing is refused.
func (b *bench) listener(s sizes) (table, error) {
	list, err := b.listened(job{argv: []string{"/bin/true"}}, unheard, heard)
	if err != nil {
		return table{}, err
	}
	times, err := b.paired(list, s.cold)
	if err != nil {
		return table{}, err
	}
	t := table{title: "What having a listener costs a start", note: fmt.Sprintf("Cold /bin/true, n = %d rounds, milliseconds.", s.cold),
		head: []string{"", "min", "median", "p95", "× " + unheard}}
	for _, c := range list {
		v := times[c.name]
		t.row(c, concat([]string{number(quantile(v, 0)), number(median(v)), number(quantile(v, 0.95))}, ratioCells(c.name, times, []string{unheard}))...)
	}
	return t, nil
}

// listened are jail's cases, as each of them runs j.
func (b *bench) listened(j job, names ...string) (list []contender, err error) {
	for _, name := range names {
		j.flags = listenerFlags(name)
		all, err := b.contenders(j)
		if err != nil {
			return nil, err
		}
		for _, c := range pick(all, jailName) {
			list = append(list, contender{name: name, cmd: c.cmd})
		}
	}
	if len(list) != len(names) {
		return nil, errors.New("there is no jail to measure")
	}
	return list, nil
}
