package jail

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// String is the step as a reader of strace(1) would expect it.
func (s Step) String() string {
	args := make([]string, len(s.args))
	for i, a := range s.args {
		args[i] = a.String()
	}
	text := s.Operation + "(" + strings.Join(args, ", ") + ")"
	if s.want != wantAny && s.want != wantAll && s.want != 0 {
		text += " = " + resultText(s.want)
	}
	return text
}

func (a arg) String() string {
	switch {
	case a.str:
		return shellword.Text(a.text)
	case a.cell:
		return "<" + seen(a.text) + ">"
	case a.text != "":
		return seen(a.text)
	case a.value >= planBase && a.value < planBase+1<<28:
		return "&plan"
	}
	return strconv.FormatInt(int64(a.value), 10)
}

// seen is the name of an argument, which may have a path in it: as it is, or quoted where
// something in it can't be seen.
func seen(name string) string {
	if quoted := shellword.Text(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Text is the plan for people: what the box sees, its limits, and every step.
func (p *Plan) Text() string {
	var b strings.Builder
	if p.spec.inPlace() {
		b.WriteString("tier     2: the caller's namespaces and file tree, in which Landlock opens what the view lists\n")
	}
	fmt.Fprintf(&b, "program  %s\n", quoteAll(p.spec.Args))
	fmt.Fprintf(&b, "user     %d:%d inside", p.host.boxUID, p.host.boxGID)
	if p.host.ownUID {
		b.WriteString(", a host uid of its own per run")
	}
	fmt.Fprintf(&b, "\nnetwork  %s\n", p.net())
	fmt.Fprintf(&b, "landlock %s\n", p.landlockText())
	fmt.Fprintf(&b, "seccomp  %s\n", strings.Join(append([]string{strconv.Itoa(p.filter.program.Len()) + " instructions"}, p.changed(LayerSeccomp)...), ", "))
	fmt.Fprintf(&b, "denials  %s\n", p.filter.heard())
	f := p.spec.Limits
	fmt.Fprintf(&b, "limits   timeout %v, cpu time %v, memory %s, cpus %g, pids %d, output %s, tmp %s, nofile %d, file size %s\n",
		f.Timeout, f.CPUTime, sizeText(f.Memory), f.CPUs, f.Pids, outputText(f.Output), sizeText(f.TmpSize), f.NoFile, sizeText(f.FileSize))
	if f.IdleTimeout > 0 {
		fmt.Fprintf(&b, "idle     timeout %v\n", f.IdleTimeout)
	}
	for _, e := range p.spec.Env {
		fmt.Fprintf(&b, "env      %s\n", shellword.Text(e))
	}
	b.WriteString("\nview\n")
	for _, v := range p.viewLines() {
		fmt.Fprintf(&b, "  %-6s %s\n", v.Kind, v.text())
	}
	for l := range lists {
		fmt.Fprintf(&b, "\nsteps of the %s\n", listNames[l])
		for _, s := range p.lists[l] {
			fmt.Fprintf(&b, "  %-9s %s\n", s.Stage, s)
		}
	}
	return b.String()
}

// sizeText is a number of bytes as flags take it, such as 512M.
func sizeText(n int64) string {
	unit := 0
	for n != 0 && n%1024 == 0 && unit < 3 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(n, 10) + [...]string{"", "K", "M", "G"}[unit]
}

func outputText(n int64) string {
	if n == Unlimited {
		return "unlimited"
	}
	return sizeText(n)
}

func (p *Plan) net() Net {
	if p.spec.Net == "" {
		return NetNone
	}
	return p.spec.Net
}

func (p *Plan) landlockText() string {
	if p.handled.abi == 0 {
		return "none"
	}
	return fmt.Sprintf("abi %d", p.handled.abi)
}

// A viewLine is one thing in the box's tree, as explain shows it.
type viewLine struct {
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	Source string `json:"source,omitempty"`
	Size   int64  `json:"size,omitempty"`
}

func (v viewLine) text() string {
	switch {
	case v.Kind == "link":
		return shellword.Text(v.Path) + " -> " + shellword.Text(v.Source)
	case v.Source != "" && v.Source != v.Path:
		return shellword.Text(v.Path) + " from " + shellword.Text(v.Source)
	case v.Size > 0:
		text := shellword.Text(v.Path) + " " + sizeText(v.Size)
		if v.Kind == "file" {
			text += " bytes"
		}
		return text
	}
	return shellword.Text(v.Path)
}

func (p *Plan) viewLines() []viewLine {
	lines := []viewLine{{Kind: "proc", Path: "/proc"}}
	if p.spec.inPlace() {
		lines = nil
		for _, name := range ownProc {
			lines = append(lines, viewLine{Kind: "proc", Path: "/proc/self/" + name})
		}
	}
	for _, d := range p.devices() {
		lines = append(lines, viewLine{Kind: "device", Path: "/dev/" + d})
	}
	for _, e := range p.view.entries {
		v := viewLine{Path: e.path, Source: e.text}
		switch e.kind {
		case entryDir:
			v.Kind = "dir"
		case entryLink:
			v.Kind = "link"
		case entryFile:
			v.Kind, v.Source, v.Size = "file", "", int64(len(p.host.filledIn(e.text)))
		case entryMount:
			v.Kind, v.Source, v.Size = string(e.mount.Kind), e.mount.Source, e.mount.Size
		}
		lines = append(lines, v)
	}
	return lines
}

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = shellword.Text(s)
	}
	return strings.Join(quoted, " ")
}

// Explain makes the plan of [Run] and runs nothing. It is [ExplainIO] with an
// empty IO.
func Explain(spec Spec) (*Plan, error) { return ExplainIO(spec, IO{}) }

// ExplainIO makes the plan of [RunIO] with that IO, of which it uses nothing, and
// runs nothing. A host on which the run would be refused is an error, the same
// as the run's. A terminal of the box's own, whose number the kernel gives out
// when it is made, is shown as /dev/pts/N.
func ExplainIO(spec Spec, io IO) (*Plan, error) {
	r := newRun(context.Background(), spec)
	defer r.close()
	err := r.prepare(io)
	if r.shape.tty {
		r.shape.slave = shownSlave
	}
	if err == nil {
		r.askAudit()
		r.joinAudit()
	}
	if err == nil { // whether there is one decides about the plan
		err = r.makeGroup(nil)
	}
	if err == nil && r.shape.tasks > 0 {
		err = r.limitGroup(nil)
	}
	if err == nil {
		err = r.compile()
	}
	if err != nil {
		return nil, seenFromInside(outOfFiles(err))
	}
	return r.plan, nil
}

// shownSlave stands for the device of a terminal that does not exist yet.
const shownSlave = "/dev/pts/N"
