package jail

import (
	"testing"

	"golang.org/x/sys/unix"
)

// What a program wrote right before its end is there, whatever poll has said.
func TestDrained(t *testing.T) {
	for text, want := range map[string]bool{"": true, "x": false} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		unix.Write(p[1], []byte(text))
		unix.Close(p[1])
		if got := drained(p[0]); got != want {
			t.Errorf("%q and the end: drained %v, want %v", text, got, want)
		}
		unix.Close(p[0])
		if drained(p[0]) {
			t.Error("a descriptor that is none is drained")
		}
	}
}

// The shortest writers there are, many times: each byte arrives.
func TestShortOutputArrives(t *testing.T) {
	s := shell("echo x")
	p, err := NewPool(t.Context(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range 200 {
		res, err := p.Run(t.Context(), Command{Args: s.Args, Env: s.Env}, IO{})
		if err != nil || res.Stdout.Text != "x\n" {
			t.Fatalf("run %d: %q (%v), want x", i, res.Stdout.Text, err)
		}
	}
}
