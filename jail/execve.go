package jail

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// exec becomes the program. A name without a slash is tried in each folder of
// the box's PATH: the step of each but the last is content with ENOENT. An
// execve that succeeds does not return, so the last one returns only to fail.
func (b *builder) exec() {
	if b.shape.late {
		b.command()
	}
	b.at(listTarget, StageExec, "")
	if b.shape.question != nil {
		b.ask(b.shape.question)
		return
	}
	b.giveValue()
	b.reportMarks()
	if b.shape.late {
		b.execLate()
		return
	}
	argv := b.pointers(b.spec.Args)
	envp := b.pointers(b.spec.Env)
	candidates := execCandidates(b.spec)
	for i, c := range candidates {
		s := b.call(unix.SYS_EXECVE, "execve", c, b.str(c), argv, envp)
		s.wants(-int32(unix.ENOENT))
		if i == len(candidates)-1 {
			s.wants(0)
		}
	}
}

// execCandidates are the paths at which the program is looked for.
func execCandidates(s Spec) []string {
	name := s.Args[0]
	if strings.Contains(name, "/") {
		return []string{name}
	}
	var out []string
	for _, dir := range strings.Split(searchPath(s), ":") {
		if dir == "" {
			dir = "." // as execvp(3) has it
		}
		if c := strings.TrimSuffix(dir, "/") + "/" + name; !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// searchPath is the PATH of the box.
func searchPath(s Spec) string {
	for _, e := range slices.Backward(s.Env) {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			return v
		}
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

// pointers is a NULL-terminated array of strings.
func (b *builder) pointers(list []string) arg {
	ptrs := make([]uint64, 0, len(list)+1)
	for _, s := range list {
		ptrs = append(ptrs, b.str(s).value)
	}
	return arg{value: b.words(append(ptrs, 0)...), text: fmt.Sprintf("[%d strings]", len(list))}
}
