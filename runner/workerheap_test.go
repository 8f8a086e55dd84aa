package runner

import (
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// A worker that fills the heap which follows the memory cap has come to that; one that the
// source gave a smaller heap has not.
func TestWorkersFillTheirHeap(t *testing.T) {
	for options, want := range map[string]jail.Reason{"{eval: true}": jail.ReasonOutOfMemory, "{eval: true, resourceLimits: {maxOldGenerationSizeMb: 16}}": jail.ReasonExecutionFailed} {
		source := "const w = new (require('worker_threads').Worker)('const a = []; for (;;) a.push(new Array(1000).fill(1))', " + options + "); await new Promise((_, no) => w.on('error', no))"
		res := evaluate(t, Node, Request{Source: source}, profiles.Overrides{})
		if res.Reason != want || res.Hint != "raise --memory if the program needs more" {
			t.Errorf("%s: %s: %s, hint %q, want %s", options, res.Reason, res.Message, res.Hint, want)
		}
	}
}
