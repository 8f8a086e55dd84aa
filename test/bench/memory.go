package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memory is what a launcher holds while its program sleeps.
func (b *bench) memory(s sizes) (table, error) {
	argv := []string{"/bin/sleep", "60"}
	list := pick(b.contenders(argv, "", concat([]string{"--timeout", "2m", "--"}, argv)), floorName, bubbleRule, jailName)
	t := table{title: "Memory of the launcher while the program sleeps",
		note: fmt.Sprintf("n = %d, medians, KiB; RSS and PSS of the process that was started, PSS of its helpers in and around the box (the program itself left out)", s.samples),
		head: []string{"", "RSS", "PSS", "helpers", "their PSS"}}
	for _, c := range list {
		var rss, pss, helpers, theirs []float64
		for range s.samples {
			h, err := b.holding(c.cmd)
			if err != nil {
				return table{}, err
			}
			rss, pss = append(rss, h.rss), append(pss, h.pss)
			helpers, theirs = append(helpers, float64(h.helpers)), append(theirs, h.helperPSS)
		}
		t.row(c, fmt.Sprintf("%.0f", median(rss)), fmt.Sprintf("%.0f", median(pss)), fmt.Sprintf("%.0f", median(helpers)), fmt.Sprintf("%.0f", median(theirs)))
	}
	// These runs are ended by a signal: their records say so, and are not counted.
	if err := os.Remove(b.record); err != nil && !errors.Is(err, os.ErrNotExist) {
		return table{}, err
	}
	return t, nil
}

type holding struct {
	rss, pss, helperPSS float64 // KiB
	helpers             int
}

const settle = 200 * time.Millisecond

// holding starts c, waits until its program sleeps, looks, and ends it.
func (b *bench) holding(c command) (h holding, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return h, err
	}
	defer null.Close()
	pid, _, err := b.start(c, null)
	if err != nil {
		return h, fmt.Errorf("%s: %w", c, err)
	}
	defer func() {
		// Each of the launchers takes its box with it.
		syscall.Kill(pid, syscall.SIGTERM)
		for {
			if _, werr := syscall.Wait4(pid, nil, 0, nil); !errors.Is(werr, syscall.EINTR) {
				break
			}
		}
	}()
	var below []int
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if below = descendants(pid); named(below, "sleep") {
			break
		}
		if time.Now().After(deadline) {
			return h, fmt.Errorf("%s: its program did not start within 10 s", c)
		}
	}
	time.Sleep(settle)
	if h.rss, h.pss, err = smaps(pid); err != nil {
		return h, err
	}
	for _, p := range below {
		if named([]int{p}, "sleep") {
			continue
		}
		_, pss, err := smaps(p)
		if err != nil {
			return h, err
		}
		h.helperPSS += pss
		h.helpers++
	}
	return h, nil
}

// named says whether one of the processes has that name.
func named(pids []int, name string) bool {
	for _, p := range pids {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p))
		if err == nil && string(bytes.TrimSpace(comm)) == name {
			return true
		}
	}
	return false
}

// descendants lists the processes below pid, through the threads that made them
// (proc_pid_task_children in proc(5)).
func descendants(pid int) (below []int) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil // gone
	}
	for _, t := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(f); err == nil {
				below = append(append(below, child), descendants(child)...)
			}
		}
	}
	return below
}

// smaps is what a process holds, in KiB. A PID 1 that is not dumpable shows it
// to root alone.
func smaps(pid int) (rss, pss float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0, err
	}
	for l := range strings.Lines(string(text)) {
		f := strings.Fields(l)
		if len(f) < 2 {
			continue
		}
		v, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "Rss:":
			rss = v
		case "Pss:":
			pss = v
		}
	}
	return rss, pss, nil
}
