package seccomp

import (
	"github.com/seed-75010da9/jail/seccomp/internal/calls"
	"golang.org/x/sys/unix"
)

// A machine is what a filter must know of an architecture. Both are known
// everywhere, so that either's rules are tested on any host.
type machine struct {
	audit uint32 // seccomp_data.arch
	calls calls.Table
}

func amd64() machine { return machine{unix.AUDIT_ARCH_X86_64, calls.X86_64} }
func arm64() machine { return machine{unix.AUDIT_ARCH_AARCH64, calls.AArch64} }
