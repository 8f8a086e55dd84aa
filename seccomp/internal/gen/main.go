//go:build cgo

// Gen compiles the policy with libseccomp into one filter per architecture,
// rewrites each to be short (../ranges), and writes them beside package seccomp
// in the form in which the kernel takes them. With -check it compares instead, and fails if a file differs.
//
//	go run ./internal/gen [-check] [-C DIR]
//
// It needs cgo and libseccomp's headers (Debian: libseccomp-dev), here and
// nowhere else in jail. The files are the same on every host: libseccomp knows
// each architecture's numbers. Version 2.5.4 made those in the tree.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/seccomp/internal/calls"
)

func main() {
	check := flag.Bool("check", false, "compare with the files instead of writing them")
	dir := flag.String("C", ".", "folder of the files")
	flag.Parse()
	if err := run(*dir, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string, check bool) error {
	var faults []error
	for _, target := range targets() {
		program, err := build(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target.goarch, err)
		}
		file := filepath.Join(dir, "default_"+target.goarch+".bpf")
		if !check {
			if err := os.WriteFile(file, program, 0o644); err != nil {
				return err
			}
			continue
		}
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Equal(old, program) {
			faults = append(faults, fmt.Errorf("%s: %d bytes, but the policy compiles to %d others; run go generate",
				file, len(old), len(program)))
		}
	}
	return errors.Join(faults...)
}

// checkNumber compares libseccomp's number for a call with our table's: two
// independent copies of the kernel's tables.
func checkNumber(table calls.Table, name string, theirs int) error {
	if ours, _ := table.Number(name); ours != theirs {
		return fmt.Errorf("%s: number %d in our table, %d in libseccomp's", name, ours, theirs)
	}
	return nil
}
