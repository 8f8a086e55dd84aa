package main

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/seccomp"
)

// lastCall is above every system call that there is.
const lastCall = 1024

// allowedCalls are the numbers that a filter allows when all arguments are
// zero. Launchers that take no program get this list, and so a filter without
// jail's checks of arguments.
func allowedCalls(p seccomp.Program) ([]int, error) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("no filter for %s", runtime.GOARCH)
	}
	raw := make([]bpf.RawInstruction, p.Len())
	for i := range raw {
		word := p[i*8:]
		raw[i] = bpf.RawInstruction{Op: binary.LittleEndian.Uint16(word), Jt: word[2], Jf: word[3], K: binary.LittleEndian.Uint32(word[4:])}
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		return nil, fmt.Errorf("the filter has instructions that are not understood")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		return nil, fmt.Errorf("the filter: %w", err)
	}
	var allowed []int
	for nr := range lastCall {
		// struct seccomp_data: the interpreter reads it in network order.
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data, uint32(nr))
		binary.BigEndian.PutUint32(data[4:], arch)
		action, err := vm.Run(data)
		if err != nil {
			return nil, fmt.Errorf("the filter, call %d: %w", nr, err)
		}
		if uint32(action) == unix.SECCOMP_RET_ALLOW {
			allowed = append(allowed, nr)
		}
	}
	return allowed, nil
}
