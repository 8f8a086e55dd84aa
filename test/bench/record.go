package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-75010da9/jail/jail"
)

// checkRecords demands one record for each run of jail since the last check:
// reason ok, every layer applied, nothing left. A figure of a box with a wall
// missing would be worth nothing.
func (b *bench) checkRecords(list []contender, runs int) error {
	wanted := 0
	for _, c := range list {
		if c.cmd.wantsWord {
			wanted += runs
		}
	}
	f, err := os.Open(b.record)
	if errors.Is(err, os.ErrNotExist) && wanted == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	defer os.Remove(b.record)
	records := json.NewDecoder(bufio.NewReader(f))
	for seen := 0; ; seen++ {
		var r jail.Result
		switch err := records.Decode(&r); {
		case errors.Is(err, io.EOF) && seen == wanted:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("jail wrote %d records, want %d", seen, wanted)
		case err != nil:
			return fmt.Errorf("record %d: %w", seen, err)
		}
		if err := complete(r); err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
	}
}

func complete(r jail.Result) error {
	if r.Reason != jail.ReasonOK || !r.TreeEmpty {
		return fmt.Errorf("reason %s, tree_empty %v: %s", r.Reason, r.TreeEmpty, r.Message)
	}
	for _, l := range r.Layers {
		if !l.Asked || !l.Applied {
			return fmt.Errorf("layer %s: asked %v, applied %v: %s", l.Name, l.Asked, l.Applied, l.Note)
		}
	}
	return nil
}
