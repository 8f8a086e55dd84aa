// Command programs runs real programs of the kinds that people put in boxes, each
// in three ways: in a box without any grant, traced; in the watching box of `jail
// learn`; and with the profile that was learned enforced, once heard and once
// traced. It prints what was refused, what was learned, and whether the enforced run
// ends as the watched one did, and writes the table of docs/learn.md. It exits with 1
// if anything is not as it must be.
//
//	go run ./test/programs [-only NAME,…] [-install]
//	go run ./test/programs [-install] -docs docs/learn.md     all of them, for the page
//	go run ./test/guest -hosts qemu-6.1,qemu-6.12,qemu-7.3 -roles root -suites programs -json programs.json
//	go run ./test/programs -take programs.json                what guests saw is kept for the page
//
// Programs that are not on this machine are left out, and said to be; -install asks
// Debian's package manager for them first (as root). Each run is bounded to a
// few minutes, and what runs is below a temporary folder.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/test/shipped"
)

// options are the command's.
type options struct {
	only, docs, prepare, prepared, jail, take string
	install                                   bool
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "`names` of programs, with commas between them")
	flag.BoolVar(&o.install, "install", false, "install the Debian packages of those that are missing")
	flag.StringVar(&o.docs, "docs", "", "write the page to this `file`")
	flag.StringVar(&o.prepare, "prepare", "", "make the folders of the jobs that guests can do in this `folder`, and run nothing")
	flag.StringVar(&o.prepared, "prepared", "", "take the jobs' folders from this `folder`, and print what was seen as lines of JSON")
	flag.StringVar(&o.jail, "jail", "", "the `program` jail, instead of building it")
	flag.StringVar(&o.take, "take", "", "keep what guests saw by this `file`, which test/guest wrote, in "+guestsFile+", and run nothing")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

func (o options) run() error {
	switch {
	case o.prepare != "":
		return prepareAll(o.prepare)
	case o.take != "":
		return take(o.take)
	case o.docs != "" && o.only != "":
		return errors.New("-docs, -only: give one of them: the page is of one run of all programs")
	}
	chosen, err := choose(programs(), o.only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "jail-programs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if o.jail == "" {
		o.jail = filepath.Join(dir, "jail")
		if err := shipped.Build(o.jail); err != nil {
			return err
		}
	}
	rows, err := o.measureAll(dir, chosen)
	if err != nil {
		return err
	}
	if o.docs != "" {
		if err := writePage(o.docs, rows); err != nil {
			return err
		}
	}
	return asTheyMust(rows)
}

// choose picks programs by name; no names are all.
func choose(all []program, names string) (chosen []program, err error) {
	if names == "" {
		return all, nil
	}
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(all, func(p program) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only %q: there is no such program", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// asTheyMust says which rows are not as they must be; there has to be one that could be.
func asTheyMust(rows []row) error {
	var wrong []error
	absent := 0
	for _, r := range rows {
		if r.absent {
			absent++
		}
		if why := r.wrong(); why != "" {
			wrong = append(wrong, fmt.Errorf("%s: %s", r.name, why))
		}
	}
	if absent == len(rows) {
		return errors.New("none of the programs is on this machine")
	}
	return errors.Join(wrong...)
}

func writePage(file string, rows []row) error {
	kept, err := readKept()
	if err != nil {
		return err
	}
	// Told before the page is written, which is one of its files.
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude", "*").Output()
	if err != nil {
		return fmt.Errorf("git describe: %w", err)
	}
	return os.WriteFile(file, []byte(page(rows, kept, strings.TrimSpace(string(commit)))), 0o644)
}

// measureAll runs programs, and prints each row as soon as there is one.
func (o options) measureAll(dir string, chosen []program) (rows []row, err error) {
	for _, p := range chosen {
		if o.install && !p.there() && p.packages != "" {
			installed(p.packages)
		}
		r := measure(o.jail, filepath.Join(dir, p.name), o.prepared, p)
		rows = append(rows, r)
		if o.prepared == "" {
			fmt.Print(r.text())
			continue
		}
		line, err := json.Marshal(r.seen())
		if err != nil {
			return nil, err
		}
		fmt.Printf("%s\n", line)
	}
	return rows, nil
}

// installed asks for packages; a program that is still missing says so in its row.
func installed(packages string) {
	cmd := exec.Command("timeout", append([]string{"300", "apt-get", "install", "-y", "-q", "--no-install-recommends"}, strings.Fields(packages)...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "programs: %s: %v: %s\n", packages, err, lastLine(out))
	}
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
