package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// asleep is the program of the memory table: it says that it runs, and ends by
// itself, so that every launcher can end as it does.
func asleep() []string { return []string{"/bin/sh", "-c", "echo up; exec sleep 1"} }

// memory is what a launcher holds while its program sleeps.
func (b *bench) memory(s sizes) (table, error) {
	list, err := b.contenders(job{argv: asleep()})
	if err != nil {
		return table{}, err
	}
	list = drop(list, bare)
	rss, pss, helpers, theirs := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for i := range s.samples {
		for _, j := range order(i, len(list)) {
			c := list[j]
			h, err := b.holding(c.cmd)
			if err != nil {
				return table{}, err
			}
			rss[c.name], pss[c.name] = append(rss[c.name], h.rss), append(pss[c.name], h.pss)
			helpers[c.name], theirs[c.name] = append(helpers[c.name], float64(h.helpers)), append(theirs[c.name], h.helperPSS)
		}
	}
	t := table{title: "Memory of the launcher while the program sleeps",
		note: fmt.Sprintf("n = %d, medians, KiB. RSS and PSS of the process that was started; number and PSS of its helpers in and around the box, the program itself left out (runsc's is inside a helper).", s.samples),
		head: []string{"", "RSS", "PSS", "helpers", "their PSS"}}
	for _, c := range list {
		t.row(c, fmt.Sprintf("%.0f", median(rss[c.name])), fmt.Sprintf("%.0f", median(pss[c.name])), fmt.Sprintf("%.0f", median(helpers[c.name])), fmt.Sprintf("%.0f", median(theirs[c.name])))
	}
	return t, b.checkRecords(list, s.samples)
}

type holding struct {
	rss, pss, helperPSS float64 // KiB
	helpers             int
}

const settle = 200 * time.Millisecond

// holding starts c, waits until its program sleeps, looks, and waits for the end.
func (b *bench) holding(c command) (h holding, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return h, err
	}
	defer r.Close()
	pid, began, err := b.start(c, w)
	w.Close()
	if err != nil {
		return h, fmt.Errorf("%s: %w", c, err)
	}
	line := make([]byte, 64)
	if n, rerr := r.Read(line); string(line[:n]) != "up\n" {
		err = fmt.Errorf("%s: it says %q, want that it is up: %w", c, line[:n], errors.Join(rerr, errRun))
	} else {
		time.Sleep(settle)
		err = h.look(pid)
	}
	if _, werr := b.wait(c, pid, began); werr != nil {
		return h, werr
	}
	return h, err
}

// look reads what the process and all below it hold.
func (h *holding) look(pid int) error {
	var err error
	if h.rss, h.pss, err = smaps(pid); err != nil {
		return err
	}
	for _, p := range descendants(pid) {
		if named(p, "sleep") {
			continue
		}
		_, pss, err := smaps(p)
		if err != nil {
			return err
		}
		h.helperPSS += pss
		h.helpers++
	}
	return nil
}

func named(pid int, name string) bool {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && string(bytes.TrimSpace(comm)) == name
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
