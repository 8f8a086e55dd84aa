package profiles

import (
	"fmt"
	"path/filepath"

	"github.com/seed-75010da9/jail/jail"
)

// companion is the program that has the engine of WebAssembly. It is a part of jail: the
// one beside the program that runs is taken before any in PATH.
const companion = "jaild"

// engineNeeds is how much of the memory cap is for the engine itself, in bytes, where that
// is not more than a half: compiling a module of 3 MB was seen to take 55 MiB, a tiny one
// less than 3. With less than it needs the kernel ends the box, whose record says so.
const engineNeeds = 80 << 20

// engineOptions tells an engine what a module may use and see: the plan's limits, and what
// was granted, which is less than the box shows. They end with "--", behind which nothing
// can add to them.
func (b *builder) engineOptions() []string {
	if b.p.settings.run.engine != engineWasm {
		return nil
	}
	limits := b.limits.WithDefaults()
	left := limits.Memory - min(engineNeeds, limits.Memory/2)
	out := []string{"wasm", fmt.Sprintf("--memory=%d", left), fmt.Sprintf("--timeout=%v", limits.Timeout)}
	if b.cwd != "" {
		out = append(out, "--cwd="+b.cwd)
	}
	for _, m := range b.view.mounts {
		switch m.Kind {
		case jail.MountRO:
			out = append(out, "--ro="+m.Target)
		case jail.MountRW, jail.MountTmpfs:
			out = append(out, "--rw="+m.Target)
		}
	}
	return append(out, "--")
}

// besideUs is where the companion is that belongs to the program that runs, or "".
func (h Host) besideUs(name string) string {
	if name != companion || h.Executable == "" {
		return ""
	}
	if path := filepath.Join(filepath.Dir(h.Executable), companion); isExecutable(path) {
		return path
	}
	return ""
}
