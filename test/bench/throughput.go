package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// piece is how much is read at once.
const piece = 64 << 10

// A drained is one run whose output was read to its end.
type drained struct {
	took        time.Duration
	early, late float64 // KiB: the launcher's peak RSS after a sixteenth, and at the end
}

// throughput is output through a pipe, read here in pieces of 64 KiB.
func (b *bench) throughput(s sizes) (table, error) {
	argv := []string{"/bin/dd", "if=/dev/zero", "bs=64K", fmt.Sprintf("count=%d", s.output/piece), "status=none"}
	list, err := b.contenders(job{argv: argv, flags: []string{"--output", fmt.Sprint(2 * s.output)}})
	if err != nil {
		return table{}, err
	}
	list = brisk(list)
	captured := contender{name: "jail --json, truncated", cmd: command{argv: concat([]string{pick(list, jailName)[0].cmd.argv[0], "run", "--json", "--output-mode", "truncate", "--"}, argv)}}
	list = append(list, captured)
	rates, early, late := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for i := range s.outputs {
		for _, j := range order(i, len(list)) {
			c := list[j]
			got, err := b.drain(c.cmd, s.output, c.name == captured.name)
			if err != nil {
				return table{}, err
			}
			rates[c.name] = append(rates[c.name], float64(s.output)/(1<<20)/got.took.Seconds())
			early[c.name], late[c.name] = append(early[c.name], got.early), append(late[c.name], got.late)
		}
	}
	if err := b.checkRecords(list, s.outputs); err != nil {
		return table{}, err
	}
	base := []string{bare, bubbleRule}
	t := table{title: "Output", note: fmt.Sprintf("n = %d runs of %d MiB through a pipe, start and end of the run included, MiB/s. RSS is the launcher's peak, KiB, when a sixteenth was read and when all was: a launcher that collects would grow. Of `--json` nothing comes before the end.", s.outputs, s.output>>20),
		head: concat([]string{"", "min", "median", "max", "RSS at 1/16", "RSS at the end"}, ratioHeads(base))}
	for _, c := range list {
		v := rates[c.name]
		t.row(c, concat([]string{number(quantile(v, 0)), number(median(v)), number(quantile(v, 1)), kib(median(early[c.name])), kib(median(late[c.name]))}, ratioCells(c.name, rates, base))...)
	}
	return t, nil
}

// kib is a number of KiB, or a dash for what was not seen.
func kib(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

// drain runs c and reads all it prints. That must be want bytes, or, when it
// was captured, a record that counted as many.
func (b *bench) drain(c command, want int64, captured bool) (d drained, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return d, err
	}
	defer r.Close()
	pid, began, err := b.start(c, w)
	w.Close()
	if err != nil {
		return d, fmt.Errorf("%s: %w", c, err)
	}
	var got int64
	if captured {
		var record jail.Result
		if err = json.NewDecoder(r).Decode(&record); err == nil {
			got, err = record.Stdout.Bytes, complete(record)
		}
	} else {
		got, err = d.read(r, pid, want)
	}
	var werr error
	if d.took, werr = b.wait(c, pid, began); werr != nil {
		return d, werr
	}
	if err != nil || got != want {
		return d, fmt.Errorf("%s: %d bytes of output, want %d: %w", c, got, want, err)
	}
	return d, nil
}

// read counts what comes until the end, and looks at the launcher on the way.
// Unlike io.Copy to a file it makes every byte pass through here, as a caller
// who looks at the output would.
func (d *drained) read(r io.Reader, pid int, want int64) (n int64, err error) {
	buf := make([]byte, piece)
	for {
		k, err := r.Read(buf)
		n += int64(k)
		if d.early == 0 && n >= want/16 {
			d.early = peakRSS(pid)
		}
		if d.late == 0 && n >= want {
			d.late = peakRSS(pid)
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// peakRSS is VmHWM of proc_pid_status(5), in KiB, or 0 of a process that has
// ended. wait4's maxrss would not do: it begins with what the caller had.
func peakRSS(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			v, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
			return v
		}
	}
	return 0
}
