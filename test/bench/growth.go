package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A step is one number of things, and the contenders that have so many.
type step struct {
	number int
	list   []contender
}

// at names a contender at a number.
func at(name string, number int) string { return fmt.Sprintf("%s, %d", name, number) }

// grown measures all steps in the same rounds, and says in words how the cost
// rises.
func (b *bench) grown(t table, steps []step, rounds int, thing string) (table, error) {
	var all []contender
	var numbers []int
	t.head = []string{""}
	for _, s := range steps {
		numbers = append(numbers, s.number)
		t.head = append(t.head, fmt.Sprintf("%d", s.number))
		for _, c := range s.list {
			c.name = at(c.name, s.number)
			all = append(all, c)
		}
	}
	t.head = append(t.head, "µs each "+thing, "growth")
	times, err := b.paired(all, rounds)
	if err != nil {
		return table{}, err
	}
	for _, c := range steps[0].list {
		var cells []string
		var cost []float64
		for _, n := range numbers {
			v := times[at(c.name, n)]
			cost, cells = append(cost, median(v)), append(cells, number(median(v))+" ("+number(quantile(v, 0.95))+")")
		}
		g := fit(numbers, cost)
		t.row(c, concat(cells, []string{fmt.Sprintf("%.2f", 1000*g.each), g.String()})...)
	}
	return t, nil
}

// growing are the contenders of the growth tables: nobody who is slow anyhow,
// and nobody twice, with and without a filter that grows with nothing.
func growing(list []contender) []contender { return brisk(drop(list, "C floor", "bubblewrap")) }

// grants is the cost of read-only grants, each of another folder. Each
// contender is asked once to show the last of them, or there would be nothing
// to measure.
func (b *bench) grants(s sizes) (table, error) {
	numbers := []int{1, 10, 100, 300, 1000}
	var folders []string
	for i := range numbers[len(numbers)-1] {
		dir := filepath.Join(b.dir, "grants", fmt.Sprintf("%04d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return table{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, "text"), []byte("shown\n"), 0o644); err != nil {
			return table{}, err
		}
		folders = append(folders, dir)
	}
	var steps []step
	for _, n := range numbers {
		look, err := b.contenders(job{argv: []string{"/bin/cat", filepath.Join(folders[n-1], "text")}, show: folders[:n]})
		if err != nil {
			return table{}, err
		}
		look = growing(drop(look, bare))
		for _, c := range look {
			text, err := b.output(c.cmd)
			if err != nil || strings.TrimSpace(text) != "shown" {
				return table{}, fmt.Errorf("%s, %d grants: it shows %q, want the file: %w", c.name, n, text, err)
			}
		}
		if err := b.checkRecords(look, 1); err != nil {
			return table{}, err
		}
		list, err := b.contenders(job{argv: []string{"/bin/true"}, show: folders[:n]})
		if err != nil {
			return table{}, err
		}
		steps = append(steps, step{n, growing(drop(list, bare))})
	}
	t := table{title: "Growth with grants", note: fmt.Sprintf("n = %d rounds of /bin/true with so many folders shown read-only; milliseconds, median (p95). Commands are shown with one grant.", s.growth)}
	return b.grown(t, steps, s.growth, "grant")
}

// mounts is the cost of mounts that the host has and the box does not show.
func (b *bench) mounts(s sizes) (table, error) {
	title := "Growth with the host's mounts"
	host, err := mountCount()
	if err != nil {
		return table{}, err
	}
	list, err := b.contenders(job{argv: []string{"/bin/true"}})
	if err != nil {
		return table{}, err
	}
	// Who has a place of its own can't be in another one.
	list = growing(drop(list, "crun"))
	var steps []step
	for _, n := range []int{0, 10, 100, 1000, 2500, 5000} {
		in, err := newPlace(func() error { return b.bindMany(n) })
		if err != nil {
			b.skip(fmt.Sprintf("%s: %v (needs root)", title, err))
			return table{title: title, note: "Left out: " + err.Error() + "."}, nil
		}
		defer in.close()
		var there []contender
		for _, c := range list {
			c.cmd.in = in
			there = append(there, c)
		}
		steps = append(steps, step{n, there})
	}
	t := table{title: title, note: fmt.Sprintf("n = %d rounds of /bin/true in mount namespaces of this program's own with so many bind mounts of a folder besides the host's %d mounts; milliseconds, median (p95).", s.growth, host)}
	return b.grown(t, steps, s.growth, "mount")
}

// bindMany makes n mounts in the thread's own mount namespace.
func (b *bench) bindMany(n int) error {
	source := filepath.Join(b.dir, "rootfs", "usr")
	for i := range n {
		target := filepath.Join(b.dir, "mounts", fmt.Sprintf("%04d", i))
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %d of %d: %w", i, n, err)
		}
	}
	return nil
}

func mountCount() (int, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	return strings.Count(string(text), "\n"), err
}
