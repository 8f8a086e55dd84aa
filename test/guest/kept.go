package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readResults reads the results of earlier runs; there need be none.
func readResults(file string) ([]result, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []result
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

// save writes the results and the table, as far as they are asked for.
func (o options) save(all []result) error {
	if o.json == "" {
		return nil
	}
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.json, append(text, '\n'), 0o644); err != nil {
		return err
	}
	if o.docs == "" {
		return nil
	}
	return os.WriteFile(o.docs, []byte(page(all, command())), 0o644)
}

// merge puts new results in the place of old ones, job by job. What is kept of another
// commit says so.
func merge(old, new []result) []result {
	for _, n := range new {
		i := slices.IndexFunc(old, func(o result) bool { return o.Host == n.Host && o.Role == n.Role })
		if i < 0 {
			old = append(old, n)
			continue
		}
		n.Jobs = slices.Clip(n.Jobs)
		for _, job := range old[i].Jobs {
			if slices.ContainsFunc(n.Jobs, func(e ended) bool { return e.Name == job.Name }) {
				continue
			}
			if job.Commit = cmp.Or(job.Commit, old[i].Commit); job.Commit == n.Commit {
				job.Commit = ""
			}
			n.Jobs = append(n.Jobs, job)
		}
		old[i] = n
	}
	return old
}

// add puts what one boot showed to what earlier boots of this run showed of the same
// host for the same role.
func add(ran []result, r result) []result {
	i := slices.IndexFunc(ran, func(o result) bool { return o.Host == r.Host && o.Role == r.Role })
	if i < 0 {
		return append(ran, r)
	}
	all := &ran[i]
	all.Ended, all.TookMS = r.Ended, all.TookMS+r.TookMS
	all.Jobs = slices.Concat(all.Jobs, r.Jobs)
	all.Kernel, all.Controllers, all.BootMS = cmp.Or(all.Kernel, r.Kernel), cmp.Or(all.Controllers, r.Controllers), cmp.Or(all.BootMS, r.BootMS)
	all.Fault = strings.TrimPrefix(all.Fault+"\n"+r.Fault, "\n")
	all.Fault = strings.TrimSuffix(all.Fault, "\n")
	return ran
}

// command is how this run was started.
func command() string {
	words := "go run ./test/guest"
	flag.Visit(func(f *flag.Flag) { // those that were given
		words += " -" + f.Name
		switch value := f.Value.String(); {
		case f.Name == "json":
			words += " " + filepath.Base(value) // where it lies is nobody's business
		case value != "true":
			words += " " + value
		}
	})
	return words
}
