package jail

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The protocol is stated twice, in wire.go and in internal/pid1/init/init.c. Here the C
// compiler itself compares them: every line is a static assertion below the
// whole of init.c, and the Go side's offsets are measured in what it encodes.
func TestLayoutAgreesWithC(t *testing.T) {
	lines := []string{`#include "init.c"`}
	equal := func(c string, value uint64) {
		lines = append(lines, fmt.Sprintf(`_Static_assert((u64)(%s) == %dULL, "%s: wire.go has %d");`, c, value, strings.ReplaceAll(c, `"`, ""), value))
	}
	for c, value := range map[string]uint64{
		"PLAN_BASE": planBase, "REST_BASE": restBase, "FIRST_ROOM": firstRoom, "PLAN_MAGIC": planMagic, "CHANNEL": fdChannel, "LIFELINE": fdLifeline, "LAST_FD": fdShm, "FIRST_HANDED": 3, "REST_HANDED": 4, "NO_STEP": noStep, "SEALS_WANTED": allSeals,
		"(u32)OP_SIGNALS": opSignals, "(u32)OP_LIFELINE": opLifeline, "(u32)OP_EMPTY": opEmpty, "(u32)WANT_ANY": 1 << 31, "(u32)WANT_ALL": 1<<31 + 1, "F_GET_SEALS": unix.F_GET_SEALS,
		"FIRST": uint64(listFirst), "BOX": uint64(listBox), "REAPER": uint64(listReaper), "TARGET": uint64(listTarget), "FINAL": uint64(listFinal), "LISTS": uint64(lists),
		"sizeof(struct step)": uint64(stepSize), "sizeof(struct first)": uint64(firstHeaderSize), "sizeof(struct rest)": uint64(headerSize), "sizeof(struct report)": reportSize,
		"SIGCHLD": uint64(unix.SIGCHLD), "SIGIO": uint64(unix.SIGIO), "EINTR": uint64(unix.EINTR),
	} {
		equal(c, value)
	}
	for field, at := range restOffsets(t) {
		equal("__builtin_offsetof(struct rest, "+field+")", at)
	}
	for field, at := range firstOffsets(t) {
		equal("__builtin_offsetof(struct first, "+field+")", at)
	}
	for field, at := range stepOffsets(t) {
		equal("__builtin_offsetof(struct step, "+field+")", at)
	}
	for field, at := range map[string]uint64{"magic": 0, "kind": 4, "list": 8, "step": 12, "result": 16} {
		equal("__builtin_offsetof(struct report, "+field+")", at) // TestParseReport reads these places
	}
	source := []byte(strings.Join(lines, "\n") + "\n")
	for _, compiler := range []string{"x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"} {
		t.Run(compiler, func(t *testing.T) {
			if out, err := checkC(t, compiler, source); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			// The comparison itself can fail.
			wrong := bytes.Replace(source, fmt.Appendf(nil, "== %dULL", stepSize), fmt.Appendf(nil, "== %dULL", stepSize+8), 1)
			if _, err := checkC(t, compiler, wrong); err == nil {
				t.Error("a wrong size passed")
			}
		})
	}
}

// checkC has a compiler check a source that includes init.c.
func checkC(t *testing.T, compiler string, source []byte) ([]byte, error) {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		leaveOut(t, err.Error())
	}
	dir, err := filepath.Abs("../internal/pid1/init")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler, "-std=c11", "-ffreestanding", "-fsyntax-only", "-I"+dir, "-x", "c", "-")
	cmd.Stdin = bytes.NewReader(source)
	return cmd.CombinedOutput()
}

// restOffsets is where encode puts the fields of the header of a plan's rest.
func restOffsets(t *testing.T) map[string]uint64 {
	t.Helper()
	p := &Plan{data: make([]byte, headerSize), last: 0x1122334455667788}
	for l := listBox; l < lists; l++ { // lists of different lengths, to tell them apart
		for range l + 40 {
			p.lists[l] = append(p.lists[l], Step{})
		}
	}
	b := p.encode()
	at := map[string]uint64{"magic": find32(t, b, planMagic), "size": find32(t, b, uint32(len(b))), "status": find64(t, b, p.last)}
	steps := restBase + uint64(headerSize)
	for l := listBox; l < lists; l++ {
		at[fmt.Sprintf("list[%d].steps", l-listBox)] = find64(t, b, steps)
		at[fmt.Sprintf("list[%d].n", l-listBox)] = find32(t, b, uint32(l)+40)
		steps += uint64(len(p.lists[l]) * stepSize)
	}
	return at
}

// firstOffsets is where encodeFirst puts those of its first part.
func firstOffsets(t *testing.T) map[string]uint64 {
	t.Helper()
	p := &Plan{data: make([]byte, firstHeaderSize)}
	p.lists[listFirst] = make([]Step, 41)
	b := p.encodeFirst()
	return map[string]uint64{"magic": find32(t, b, planMagic), "size": find32(t, b, uint32(len(b))), "report_fd": find32(t, b, fdReport),
		"list.steps": find64(t, b, planBase+uint64(firstHeaderSize)), "list.n": find32(t, b, 41)}
}

// stepOffsets is where append puts the fields of a step.
func stepOffsets(t *testing.T) map[string]uint64 {
	t.Helper()
	s := Step{nr: 0x01020304, want: 0x05060708, out: 0x1112131415161718, args: make([]arg, 6)}
	for i := range s.args {
		s.args[i] = arg{value: 0x2122232425262700 + uint64(i), cell: i%2 == 1}
	}
	b := s.append(nil)
	at := map[string]uint64{"nr": find32(t, b, s.nr), "indirect": find32(t, b, 0b101010), "want": find32(t, b, uint32(s.want)), "out": find64(t, b, s.out)}
	for i := range s.args {
		at[fmt.Sprintf("args[%d]", i)] = find64(t, b, s.args[i].value)
	}
	return at
}

// find32 is the one place in b at which v stands.
func find32(t *testing.T, b []byte, v uint32) uint64 {
	t.Helper()
	return findOnly(t, b, binary.LittleEndian.AppendUint32(nil, v))
}

func find64(t *testing.T, b []byte, v uint64) uint64 {
	t.Helper()
	return findOnly(t, b, binary.LittleEndian.AppendUint64(nil, v))
}

func findOnly(t *testing.T, b, v []byte) uint64 {
	t.Helper()
	at := bytes.Index(b, v)
	if at < 0 || bytes.Contains(b[at+1:], v) {
		t.Fatalf("% x does not stand exactly once in % x", v, b)
	}
	return uint64(at)
}

// struct statfs is read by its offsets on the supervisor's side.
func TestStatfsLayout(t *testing.T) {
	var st unix.Statfs_t
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"size", unsafe.Sizeof(st), statfsSize}, {"blocks", unsafe.Offsetof(st.Blocks), 16}, {"bavail", unsafe.Offsetof(st.Bavail), 32},
		{"files", unsafe.Offsetof(st.Files), 40}, {"ffree", unsafe.Offsetof(st.Ffree), 48},
	} {
		if f.got != f.want {
			t.Errorf("struct statfs: %s is %d, and last.go has %d", f.name, f.got, f.want)
		}
	}
}
