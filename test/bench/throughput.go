package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// throughput is output through a pipe, read here in pieces of 64 KiB.
func (b *bench) throughput(s sizes) (table, error) {
	const piece = 64 << 10
	argv := []string{"/bin/dd", "if=/dev/zero", "bs=64K", fmt.Sprintf("count=%d", s.output/piece), "status=none"}
	list := pick(b.contenders(argv, "", concat([]string{"--output", fmt.Sprint(2 * s.output), "--"}, argv)), bare, bubbleRule, jailName)
	captured := contender{"jail --json, truncated", command{argv: concat([]string{b.jail, "run", "--json", "--output-mode", "truncate", "--"}, argv)}}
	list = append(list, captured)
	rates := map[string][]float64{}
	for i := range s.outputs {
		for j := range list {
			c := list[(i+j)%len(list)]
			took, err := b.drain(c.cmd, s.output, c.name == captured.name)
			if err != nil {
				return table{}, err
			}
			rates[c.name] = append(rates[c.name], float64(s.output)/(1<<20)/took.Seconds())
		}
	}
	if err := b.checkRecords(list, s.outputs); err != nil {
		return table{}, err
	}
	t := table{title: "Output", note: fmt.Sprintf("n = %d runs of %d MiB through a pipe, start and end of the run included, MiB/s", s.outputs, s.output>>20),
		head: []string{"", "min", "median", "max", "× " + bubbleRule}}
	for _, c := range list {
		v := rates[c.name]
		t.row(c, number(quantile(v, 0)), number(median(v)), number(quantile(v, 1)), ratioCell(v, rates[bubbleRule]))
	}
	return t, nil
}

// drain runs c and reads all it prints. That must be want bytes, or, when it
// was captured, a record that counted as many.
func (b *bench) drain(c command, want int64, captured bool) (time.Duration, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	pid, began, err := b.start(c, w)
	w.Close()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c, err)
	}
	var got int64
	if captured {
		var record jail.Result
		if err = json.NewDecoder(r).Decode(&record); err == nil {
			got, err = record.Stdout.Bytes, complete(record)
		}
	} else {
		got, err = readAll(r)
	}
	took, werr := b.wait(c, pid, began)
	if werr != nil {
		return 0, werr
	}
	if err != nil || got != want {
		return 0, fmt.Errorf("%s: %d bytes of output, want %d: %w", c, got, want, err)
	}
	return took, nil
}

// readAll counts what comes until the end. Unlike io.Copy to a file it makes
// every byte pass through here, as a caller who looks at the output would.
func readAll(r io.Reader) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, err := r.Read(buf)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
