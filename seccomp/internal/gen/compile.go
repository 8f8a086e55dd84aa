//go:build cgo

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	libseccomp "github.com/seccomp/libseccomp-golang"
	"github.com/seed-75010da9/jail/seccomp/internal/calls"
	"github.com/seed-75010da9/jail/seccomp/internal/policy"
	"github.com/seed-75010da9/jail/seccomp/internal/ranges"
)

// A target is one architecture for which filters are made.
type target struct {
	goarch string
	arch   libseccomp.ScmpArch
	table  calls.Table
}

func targets() []target {
	return []target{
		{"amd64", libseccomp.ArchAMD64, calls.X86_64},
		{"arm64", libseccomp.ArchARM64, calls.AArch64},
	}
}

// build is the filter that is committed: what libseccomp compiles, rewritten to
// be short.
func build(t target) ([]byte, error) {
	program, err := compile(t)
	if err != nil {
		return nil, err
	}
	return ranges.Rewrite(program)
}

func compile(t target) ([]byte, error) {
	filter, err := newFilter(t)
	if err != nil {
		return nil, err
	}
	defer filter.Release()
	for _, group := range policy.Allowed() {
		if err := addAll(filter, t, group.Calls, []policy.Clause{{Verdict: policy.Allow}}); err != nil {
			return nil, err
		}
	}
	for _, group := range policy.Denied() {
		if err := addAll(filter, t, group.Calls, []policy.Clause{{Verdict: policy.Deny}}); err != nil {
			return nil, err
		}
	}
	for _, check := range policy.Checked() {
		if err := addAll(filter, t, check.Calls, check.Clauses()); err != nil {
			return nil, err
		}
	}
	return export(filter)
}

func newFilter(t target) (*libseccomp.ScmpFilter, error) {
	filter, err := libseccomp.NewFilter(action(policy.Absent))
	if err != nil {
		return nil, fmt.Errorf("new filter: %w", err)
	}
	native, err := libseccomp.GetNativeArch()
	if err != nil {
		return nil, fmt.Errorf("native architecture: %w", err)
	}
	if native != t.arch {
		if err := filter.AddArch(t.arch); err != nil {
			return nil, fmt.Errorf("add architecture: %w", err)
		}
		if err := filter.RemoveArch(native); err != nil {
			return nil, fmt.Errorf("remove architecture %v: %w", native, err)
		}
	}
	if err := filter.SetBadArchAction(libseccomp.ActKillProcess); err != nil {
		return nil, fmt.Errorf("bad architecture action: %w", err)
	}
	return filter, nil
}

// addAll adds the clauses to each of the calls that the target has.
func addAll(filter *libseccomp.ScmpFilter, t target, names string, clauses []policy.Clause) error {
	for _, name := range strings.Fields(names) {
		if _, ok := t.table.Number(name); !ok {
			continue
		}
		theirs, err := libseccomp.GetSyscallFromNameByArch(name, t.arch)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := checkNumber(t.table, name, int(theirs)); err != nil {
			return err
		}
		// Rules are added by the build host's number, and translated by name.
		here, err := libseccomp.GetSyscallFromName(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, clause := range clauses {
			if err := add(filter, here, clause); err != nil {
				return fmt.Errorf("%s: %+v: %w", name, clause, err)
			}
		}
	}
	return nil
}

func add(filter *libseccomp.ScmpFilter, call libseccomp.ScmpSyscall, clause policy.Clause) error {
	var conditions []libseccomp.ScmpCondition
	for arg, bits := range clause.Args {
		if bits.Mask == 0 {
			continue
		}
		operator, operands := libseccomp.CompareMaskedEqual, []uint64{bits.Mask, bits.Value}
		switch {
		case bits.Not:
			operator, operands = libseccomp.CompareNotEqual, []uint64{bits.Value}
		case bits.Mask == policy.Whole:
			operator, operands = libseccomp.CompareEqual, []uint64{bits.Value}
		}
		condition, err := libseccomp.MakeCondition(uint(arg), operator, operands...)
		if err != nil {
			return err
		}
		conditions = append(conditions, condition)
	}
	if len(conditions) == 0 {
		return filter.AddRuleExact(call, action(clause.Verdict))
	}
	return filter.AddRuleConditionalExact(call, action(clause.Verdict), conditions)
}

func action(v policy.Verdict) libseccomp.ScmpAction {
	if v == policy.Allow {
		return libseccomp.ActAllow
	}
	return libseccomp.ActErrno.SetReturnCode(int16(v))
}

// export is the filter as the kernel takes it. libseccomp 2.5 only writes it
// to a descriptor.
func export(filter *libseccomp.ScmpFilter) ([]byte, error) {
	file, err := os.CreateTemp("", "filter")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := filter.ExportBPF(file); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}
