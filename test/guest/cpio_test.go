package main

import (
	"bytes"
	"strings"
	"testing"
)

// The fields stand where buffer-format.rst puts them, and everything begins at a
// multiple of four.
func TestCpio(t *testing.T) {
	var b bytes.Buffer
	w := cpio{to: &b}
	w.add(entry{name: "dev/console", mode: modeChar | 0o600, major: 5, minor: 1})
	w.add(entry{name: "init", mode: modeFile | 0o755, content: []byte("hello")})
	w.close()
	if b.Len()%4 != 0 {
		t.Errorf("%d bytes, want a multiple of 4", b.Len())
	}
	const header = 110
	text := b.String()
	if got, want := text[:header], "070701"+"00000001"+"00002180"+"00000000"+"00000000"+"00000001"+"00000000"+"00000000"+
		"00000000"+"00000000"+"00000005"+"00000001"+"0000000C"+"00000000"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	second := strings.Index(text[1:], "070701") + 1
	if second%4 != 0 || text[second+header:second+header+6] != "init\x00\x00" || text[second+header+6:second+header+11] != "hello" {
		t.Errorf("the second entry is %q", text[second:])
	}
	if !strings.Contains(text, "TRAILER!!!\x00") {
		t.Error("there is no trailer")
	}
}
