package jail

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A requirement is a minimum demand on the host.
type requirement struct {
	of      demand
	atLeast [2]int // the second number is that of a kernel's release
}

// A demand is what may be required of a host.
type demand string

const (
	demandLandlock demand = "landlock" // its ABI
	demandKernel   demand = "kernel"   // its release
	demandCgroup   demand = "cgroup"   // the version of the control groups that hold the controllers
)

var errRequirement = errors.New("must be landlock>=N, where N is a Landlock ABI, kernel>=X.Y, where X.Y is a release, or cgroup>=N, where N is 1 or 2, the version of the control groups")

// parseRequirement reads "landlock>=6", "kernel>=6.1" or "cgroup>=2".
func parseRequirement(text string) (requirement, error) {
	name, number, ok := strings.Cut(text, ">=")
	r := requirement{of: demand(name)}
	major, minor, hasMinor := strings.Cut(number, ".")
	var fine [2]bool
	r.atLeast[0], fine[0] = plainNumber(major)
	r.atLeast[1], fine[1] = plainNumber(minor)
	if !ok || !fine[0] || hasMinor && !fine[1] || r.atLeast[0] == 0 {
		return requirement{}, errRequirement
	}
	switch r.of {
	case demandLandlock:
		ok = !hasMinor
	case demandKernel:
		ok = hasMinor
	case demandCgroup:
		ok = !hasMinor && r.atLeast[0] <= 2
	default:
		ok = false
	}
	if !ok {
		return requirement{}, errRequirement
	}
	return r, nil
}

// plainNumber reads digits, without sign and leading zeros.
func plainNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}

// demands are the requirements of one kind, as they were written.
func (s Spec) demands(of demand) (texts []string, least [][2]int) {
	for _, text := range s.Require {
		if r, err := parseRequirement(text); err == nil && r.of == of { // validated
			texts, least = append(texts, text), append(least, r.atLeast)
		}
	}
	return texts, least
}

// require refuses a host that has less than the Spec demands of its kernel.
func (s Spec) require(h host) error {
	if len(s.Require) == 0 {
		return nil
	}
	if err := s.below(demandKernel, h.kernel, &SetupError{Operation: "uname",
		Err: fmt.Errorf("this kernel is Linux %d.%d", h.kernel[0], h.kernel[1])}); err != nil {
		return err
	}
	return s.below(demandLandlock, [2]int{h.landlockABI}, &SetupError{Layer: LayerLandlock, Operation: "landlock_create_ruleset",
		Err: fmt.Errorf("this kernel has Landlock ABI %d", h.landlockABI)})
}

// requireGroup is the same for control groups.
func (s Spec) requireGroup(version int) error {
	e := &SetupError{Layer: LayerCgroup, Operation: "find",
		Err: fmt.Errorf("the controllers of this host are in control groups of version %d", version)}
	if err := s.below(demandCgroup, [2]int{version}, e); err != nil {
		e.Remedy = "boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line (without systemd cgroup_no_v1=all, and cgroup2 mounted on /sys/fs/cgroup), or require less"
		return err
	}
	return nil
}

// below is refused, made complete, if the host has less than some demand.
func (s Spec) below(of demand, has [2]int, refused *SetupError) error {
	texts, least := s.demands(of)
	for i, l := range least {
		if has[0] > l[0] || has[0] == l[0] && has[1] >= l[1] {
			continue
		}
		refused.Stage, refused.Operand, refused.Remedy = StageProbe, texts[i], "run a newer kernel, or require less"
		return refused
	}
	return nil
}

// release is the first two numbers of a kernel's, such as 6.12 of "6.12.9-amd64".
func release(u unix.Utsname) (numbers [2]int) {
	at := 0
	for _, c := range u.Release {
		switch {
		case c == '.' && at == 0:
			at = 1
		case c < '0' || c > '9':
			return numbers
		default:
			numbers[at] = 10*numbers[at] + int(c-'0')
		}
	}
	return numbers
}
