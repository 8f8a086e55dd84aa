package seccomp

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

//go:generate go run ./internal/gen

// Default is the name of the one built-in policy. It serves every profile:
// what single profiles need beyond it is prepended.
const Default = "default"

// MaxLen is the largest number of instructions that the kernel takes in one
// filter (BPF_MAXINSNS).
const MaxLen = 4096

// A Program is a filter as seccomp(2) takes it: an array of struct
// sock_filter, 8 bytes each, in the machine's (little-endian) order. An empty
// one is not a filter.
type Program []byte

// Builtin is the built-in policy of that name, compiled for the architecture
// that this program runs on. The caller may change the bytes.
func Builtin(name string) (Program, error) {
	if name != Default {
		return nil, fmt.Errorf("seccomp: policy %q: unknown; there is %q", name, Default)
	}
	return Program(defaultFilter), nil
}

// Reaper is the filter of the box's PID 1, which waits, looks how full its
// tmpfs are, reports and exits, and does nothing else: any other call fails
// with EPERM. It does not end the process for one, because PID 1's death is the
// box's; only a call of a foreign architecture, which nothing but a broken-into
// PID 1 makes, does.
func Reaper() Program { return reaper(native()) }

// Keeper is the same for a box without a pid namespace, whose processes that of
// PID 1's place has to end itself. Whom it may signal is decided elsewhere.
func Keeper() Program { return keeper(native()) }

func keeper(m machine) Program { return reaper(m, "kill", "waitid") }

func reaper(m machine, besides ...string) Program {
	calls := append([]string{
		"wait4", "read", "write", "close", "fstatfs", "exit", "exit_group", "rt_sigreturn", "restart_syscall",
	}, besides...)
	p := make(Program, 0, (len(calls)+6)*instructionSize)
	p = p.add(instruction{code: loadWord, k: offsetArch})
	p = p.add(instruction{code: jumpEqual, jt: 1, k: m.audit})
	p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_KILL_PROCESS})
	p = p.add(instruction{code: loadWord, k: offsetNr})
	for i, name := range calls {
		nr, _ := m.calls.Number(name)
		p = p.add(instruction{code: jumpEqual, jt: uint8(len(calls) - i), k: uint32(nr)}) // to the end
	}
	p = p.add(instruction{code: returnAction, k: denied})
	return p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
}

// Len is how many instructions p has.
func (p Program) Len() int { return len(p) / instructionSize }

// Number is the number of the system call that the kernel calls name, on the
// architecture that this program runs on.
func Number(name string) (int, bool) { return native().calls.Number(name) }

// Arch is what seccomp_data.arch is for calls of the architecture that this program
// runs on: one of AUDIT_ARCH_….
func Arch() uint32 { return native().audit }

// Name is the kernel's name of system call nr on the architecture that this
// program runs on, or "" if Linux 7.2 has no such call there.
func Name(nr int) string { return native().calls.Name(nr) }

// An instruction is one struct sock_filter.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

const instructionSize = 8

// The few operations that a filter here needs.
const (
	loadWord     = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	and          = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	jumpAlways   = unix.BPF_JMP | unix.BPF_JA
	jumpEqual    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpGreater  = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
	jumpAnySet   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	returnAction = unix.BPF_RET | unix.BPF_K
)

// Offsets in struct seccomp_data. An argument has 8 bytes, the low word first.
const (
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

const denied = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)

// add appends an instruction to p.
func (p Program) add(i instruction) Program {
	p = binary.LittleEndian.AppendUint16(p, i.code)
	p = append(p, i.jt, i.jf)
	return binary.LittleEndian.AppendUint32(p, i.k)
}
