package runner

import (
	"fmt"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// A worker's heap is as large as the program's, which follows the memory cap, whatever size
// the source asks for: Node.js has the option go before. One that fills it has come to the
// cap, and a source that merely throws the same error has not.
func TestWorkersFillTheirHeap(t *testing.T) {
	const fill = "const w = new (require('worker_threads').Worker)('const a = []; for (;;) a.push(new Array(1000).fill(1))', %s); await new Promise((_, no) => w.on('error', no))"
	for source, want := range map[string]jail.Reason{
		fmt.Sprintf(fill, "{eval: true}"):                                               jail.ReasonOutOfMemory,
		fmt.Sprintf(fill, "{eval: true, resourceLimits: {maxOldGenerationSizeMb: 16}}"): jail.ReasonOutOfMemory,
		"throw Object.assign(new Error('Worker terminated due to reaching memory limit: JS heap out of memory'), {code: 'ERR_WORKER_OUT_OF_MEMORY'})": jail.ReasonExecutionFailed,
	} {
		res := evaluate(t, Node, Request{Source: source}, profiles.Overrides{})
		if res.Reason != want || res.Hint != "raise --memory if the program needs more" {
			t.Errorf("%s: %s: %s, hint %q, want %s", source, res.Reason, res.Message, res.Hint, want)
		}
	}
}
