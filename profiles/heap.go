package profiles

import (
	"slices"
	"strconv"
	"strings"
)

// heapOptions tells a runtime how much memory the box has, unless the caller's
// own options do.
func (b *builder) heapOptions(options []string) []string {
	if b.p.settings.run.heap != heapV8 {
		return nil
	}
	// Options in argv beat NODE_OPTIONS, so what stands there counts as given.
	options = slices.Concat(options, b.p.settings.run.args, strings.Fields(b.variable("NODE_OPTIONS")))
	var out []string
	old, semi := v8Heap(b.limits.WithDefaults().Memory)
	if !names(options, "max-old-space-size") {
		out = append(out, "--max-old-space-size="+strconv.FormatInt(old, 10))
	}
	if semi > 0 && !names(options, "max-semi-space-size") {
		out = append(out, "--max-semi-space-size="+strconv.FormatInt(semi, 10))
	}
	return out
}

// v8Heap is the size of V8's old generation, in MiB, under a memory cap in
// bytes, and of one of the semi-spaces of its young one, or 0 for V8's own
// choice. V8 takes three semi-spaces of up to 16 MiB beside the old
// generation; where that is much of the cap, they are made smaller. Beside
// both, Node.js 20 was seen to need 6 to 30 MiB of its own: from 64 MiB on, a
// program that fills its heap is ended by V8, which says so, and not by the
// kernel.
func v8Heap(memory int64) (old, semi int64) {
	mib := memory >> 20
	old = max(min(mib*3/4, mib-32), 32)
	if mib < 1024 {
		semi = max(mib/64, 1)
	}
	return old, semi
}

// names says whether options set a V8 flag, which may be written with - or _.
func names(options []string, flag string) bool {
	for _, o := range options {
		name, _, _ := strings.Cut(strings.TrimLeft(o, "-"), "=")
		if strings.ReplaceAll(name, "_", "-") == flag {
			return true
		}
	}
	return false
}
