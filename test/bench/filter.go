package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterChild is the first argument of the copy of this program that attaches a
// filter, which can't be taken off again, to itself.
const filterChild = "measure-filter"

const (
	calls   = 200_000 // getpid(2) in one batch
	batches = 5       // of which the fastest counts
)

// callInLoop attaches the filter in a file, if one is named, to this thread,
// calls getpid in a loop, and prints the nanoseconds of both.
func callInLoop(args []string) error {
	runtime.LockOSThread()
	var attach time.Duration
	if len(args) > 0 {
		text, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		if attach, err = attachFilter(text); err != nil {
			return err
		}
	}
	best := time.Duration(1 << 62)
	for range batches {
		began := time.Now()
		for range calls {
			syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
		}
		best = min(best, time.Since(began))
	}
	_, err := fmt.Println(attach.Nanoseconds(), float64(best.Nanoseconds())/calls)
	return err
}

func attachFilter(text []byte) (time.Duration, error) {
	if len(text) == 0 || len(text)%8 != 0 {
		return 0, errors.New("a filter is a number of 8-byte instructions")
	}
	program := unix.SockFprog{Len: uint16(len(text) / 8), Filter: (*unix.SockFilter)(unsafe.Pointer(&text[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	began := time.Now()
	_, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	took := time.Since(began)
	runtime.KeepAlive(text)
	if errno != 0 {
		return 0, fmt.Errorf("seccomp: %w", errno)
	}
	return took, nil
}

// filterCost is what a filter costs once, when it is attached, and then on
// every system call.
func (b *bench) filterCost(s sizes) (table, error) {
	self, err := os.Executable()
	if err != nil {
		return table{}, err
	}
	const one = "1 instruction: allow"
	list := []contender{
		{name: "no filter", cmd: command{argv: []string{self, filterChild}}},
		{name: one, cmd: command{argv: []string{self, filterChild, b.oneFilter}}},
		{name: fmt.Sprintf("jail's, %d instructions", b.program.Len()), cmd: command{argv: []string{self, filterChild, b.filter}}},
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
	t := table{title: "The filter itself", note: fmt.Sprintf("n = %d rounds; getpid in a loop, the fastest of %d × %d calls a round, ns a call; attaching, µs.", s.filters, batches, calls),
		head: concat([]string{"", "attach min", "attach median", "attach p95", "getpid min", "getpid median", "getpid p95"}, ratioHeads([]string{one}))}
	for _, c := range list {
		n, a := call[c.name], attach[c.name]
		t.row(c, concat([]string{number(quantile(a, 0)), number(median(a)), number(quantile(a, 0.95)), number(quantile(n, 0)), number(median(n)), number(quantile(n, 0.95))}, ratioCells(c.name, call, []string{one}))...)
	}
	return t, nil
}

// oneLoop runs the copy once: microseconds of attaching, nanoseconds a call.
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
