package attacks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// machineCode: system calls by the doors of another ABI. A filter that looks at
// numbers only takes 32-bit Linux's socket for something else.
func machineCode() []Row {
	return []Row{
		{
			name: "int 0x80 in a 64-bit program", source: "firejail#87; kafel#19; the fence and greywall filters have no arch test",
			attack: runCode(elf64, append(callInt80, exit64...)),
			arena:  programFolder, walls: []ablation.Wall{ablation.Seccomp}, dies: true, skip: needsIA32,
		},
		{
			name: "a 32-bit program", source: "elastic/ml-cpp#3080; go-seccomp-bpf PR#7",
			attack: runCode(elf32, append(callInt80, exit32...)),
			arena:  programFolder, walls: []ablation.Wall{ablation.Seccomp}, dies: true, skip: needsIA32,
		},
		{
			// Where the kernel has no x32 it answers ENOSYS; that it was asked
			// at all is the effect, and a filter that lets it be asked lets it
			// be answered elsewhere.
			name: "an x32 number", source: "seccompiler#74; sandlock: x32 numbers fall to ALLOW",
			attack: runCode(elf64, append(callX32, exit64...)),
			arena:  programFolder, walls: []ablation.Wall{ablation.Seccomp}, dies: true, skip: needsX86,
		},
		{
			name: "garbage above a number", source: "flatpak CVE-2019-10063, for numbers: 64 bits are given, 32 are looked at",
			attack: runCode(elf64, garbageSocket),
			arena:  programFolder, walls: []ablation.Wall{ablation.Seccomp}, dies: true,
			skip: func(who Role) Reason { return needsCode(who, elf64, garbageSocket) },
		},
		{
			name: "a segment of one's own", source: "modify_ldt(2); CVE-2017-17053",
			attack: func([]string) error {
				entry := [4]uint32{0, 0, 0xfffff, 0x51} // struct user_desc
				const write = 0x11
				if runtime.GOARCH != "amd64" {
					return errors.ErrUnsupported
				}
				_, err := rawSyscall(modifyLDT, write, pointer(&entry), 16)
				return err
			},
			walls: []ablation.Wall{ablation.Seccomp}, skip: needsX86,
		},
	}
}

const modifyLDT = 154

var (
	callInt80 = []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80}                              // mov eax, getpid(i386); int 0x80
	callX32   = []byte{0xb8, 39, 0, 0, 0x40, 0x0f, 0x05}                           // mov eax, getpid|x32; syscall
	exit64    = []byte{0xb8, 60, 0, 0, 0, 0xbf, reached, 0, 0, 0, 0x0f, 0x05}      // exit(reached)
	exit32    = []byte{0xb8, 1, 0, 0, 0, 0xbb, reached, 0, 0, 0, 0xcd, 0x80, 0xf4} // exit(reached)
)

// garbageSocket asks for socket(AF_INET, SOCK_STREAM, 0) with a bit set above the
// number's low word, and exits with reached if there is one.
var garbageSocket = slices.Concat(
	[]byte{0x48, 0xb8, 41, 0, 0, 0, 1, 0, 0, 0},                     // movabs rax, 1<<32|socket
	[]byte{0xbf, 2, 0, 0, 0, 0xbe, 1, 0, 0, 0, 0x31, 0xd2},          // edi, esi, edx
	[]byte{0x0f, 0x05, 0x85, 0xc0, 0x79, 12},                        // syscall; test eax, eax; jns over the next
	[]byte{0xb8, 60, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x0f, 0x05}, exit64, // exit(1)
)

// reached is the exit status of a program that came to its end.
const reached = 42

func programFolder(a *Arena) { a.Args(a.RW()) }

// runCode writes a program of its own and runs it: nobody needs a compiler in
// a box for that.
func runCode(program func([]byte) []byte, code []byte) func([]string) error {
	return func(args []string) error {
		path := filepath.Join(args[0], "program")
		if err := os.WriteFile(path, program(code), 0o755); err != nil {
			return err
		}
		err := exec.Command(path).Run()
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.ExitCode() == reached {
			return nil
		}
		return errors.Join(err, errors.New("the program did not come to its end"))
	}
}

const loadAt = 0x10000

// elf64 and elf32 are a program of one segment whose entry is the code.
func elf64(code []byte) []byte {
	const headers = 64 + 56
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01")
	b.Write(make([]byte, 9))
	words(&b, uint16(2), uint16(62), uint32(1), uint64(loadAt+headers), uint64(64), uint64(0), uint32(0),
		uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0))
	size := uint64(headers + len(code))
	words(&b, uint32(1), uint32(5), uint64(0), uint64(loadAt), uint64(loadAt), size, size, uint64(0x1000))
	return append(b.Bytes(), code...)
}

func elf32(code []byte) []byte {
	const headers = 52 + 32
	var b bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01")
	b.Write(make([]byte, 9))
	words(&b, uint16(2), uint16(3), uint32(1), uint32(loadAt+headers), uint32(52), uint32(0), uint32(0),
		uint16(52), uint16(32), uint16(1), uint16(0), uint16(0), uint16(0))
	size := uint32(headers + len(code))
	words(&b, uint32(1), uint32(0), uint32(loadAt), uint32(loadAt), size, size, uint32(5), uint32(0x1000))
	return append(b.Bytes(), code...)
}

func words(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		binary.Write(b, binary.LittleEndian, v)
	}
}

func needsX86(Role) Reason {
	if runtime.GOARCH != "amd64" {
		return noHardware
	}
	return ""
}

// needsIA32: the kernel can be built without, or started with ia32_emulation=0.
func needsIA32(who Role) Reason { return needsCode(who, elf32, append(callInt80, exit32...)) }

// needsCode tries it.
func needsCode(who Role, program func([]byte) []byte, code []byte) Reason {
	if why := needsX86(who); why != "" {
		return why
	}
	dir, err := os.MkdirTemp(who.site.dir, "")
	if err != nil {
		return noHardware
	}
	defer os.RemoveAll(dir)
	if runCode(program, code)([]string{dir}) != nil {
		return noHardware
	}
	return ""
}
