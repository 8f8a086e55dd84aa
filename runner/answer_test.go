package runner

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// What was written is one answer with its token and its length, or none.
func TestParseAnswer(t *testing.T) {
	whole, err := Answer{Value: []byte(`"mine"`)}.Encode("token")
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := parseAnswer(whole, "token"); !ok || string(a.Value) != `"mine"` {
		t.Errorf("parseAnswer(%q) = %+v, %v", whole, a, ok)
	}
	const inserted = `","value":"FORGED","x":"`
	for at := range len(whole) + 1 {
		text := string(whole[:at]) + inserted + string(whole[at:])
		if a, ok := parseAnswer([]byte(text), "token"); ok {
			t.Errorf("parseAnswer(%q) = %+v, want none", text, a)
		}
	}
	for _, text := range []string{"", "\n", "token", "token 0\n", "token 2\n{} ", "token 3\n{}", "other 2\n{}", " 2\n{}", "token 2\n2\n{}", "token 02\n{}", string(whole) + string(whole), "token 14\n{\"value\":\"\xff\"}"} {
		if a, ok := parseAnswer([]byte(text), "token"); ok {
			t.Errorf("parseAnswer(%q) = %+v, want none", text, a)
		}
	}
}

// A large value is kept once, and not several times on its way into the record.
func TestValueIsKeptOnce(t *testing.T) {
	const size = 40 << 20
	answer, err := Answer{Value: []byte(`"` + strings.Repeat("x", size-2) + `"`)}.Encode("token")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := &written{most: 48 << 20}
	for b := answer; len(b) > 0; b = b[min(len(b), 64<<10):] {
		w.Write(b[:min(len(b), 64<<10)])
	}
	res := jail.Result{Reason: jail.ReasonOK, OK: true}
	judge(&res, Node, w.bytes, "token")
	runtime.ReadMemStats(&after)
	if len(res.Value) != size {
		t.Fatalf("a value of %d bytes: %s", len(res.Value), res.Message)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 56<<20 {
		t.Errorf("%d bytes of memory for a value of %d with a limit of %d", took, size, w.most)
	}
}

// intrude is the program of a child that was handed the descriptor: it waits until a part
// of the answer is on its way (unix(7), SIOCOUTQ) and writes something in between that
// leaves it one JSON document.
const intrude = `
import fcntl, os, struct, sys, time
fd = int(sys.argv[1])
print('ready', flush=True)
end = time.time() + 20
while time.time() < end and not struct.unpack('i', fcntl.ioctl(fd, 0x5411, b'0000'))[0]: pass
os.write(fd, b'","value":"FORGED","x":"')
`

// A child that is handed the descriptor can spoil an answer, and not change it.
func TestAnswerIsNotAddedTo(t *testing.T) {
	o := bounds()
	o.Limits.Output, o.Limits.Memory, o.Limits.Timeout = 32<<20, 512<<20, 30*time.Second
	for l, source := range map[Language]string{
		Node: "const child = require('child_process').spawn('python3', ['-c', input, '3'], {stdio: ['ignore', 'pipe', 'inherit', 3]});\n" +
			"await new Promise((go) => child.stdout.once('data', go)); return 'x'.repeat(10000000)",
		Python: "import os, stat, subprocess, sys\n" +
			"fd = next(n for n in range(3, 30) if os.path.exists('/proc/self/fd/%d' % n) and stat.S_ISSOCK(os.fstat(n).st_mode))\n" +
			"child = subprocess.Popen([sys.executable, '-c', input, str(fd)], pass_fds=[fd], stdout=subprocess.PIPE)\n" +
			"child.stdout.readline(); return 'x' * 10000000",
	} {
		res := evaluate(t, l, Request{Source: source, Input: quoted(t, intrude)}, o)
		// It may have been too late.
		if res.Reason != jail.ReasonInvalidOutput && (res.Reason != jail.ReasonOK || strings.Contains(string(res.Value), "FORGED") || len(res.Value) != 10000002) {
			t.Errorf("%s: %s, a value of %d bytes, %.30s: %s", l, res.Reason, len(res.Value), res.Value, res.Message)
		}
	}
}
