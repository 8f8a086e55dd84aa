package jail

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A caller that runs without address randomization does not pass that on.
func TestPersonalityIsTheBoxesOwn(t *testing.T) {
	const noRandomize = 0x0040000 // ADDR_NO_RANDOMIZE
	runtime.LockOSThread()        // and it ends with the test, or is as it was
	old, _, errno := unix.Syscall(unix.SYS_PERSONALITY, noRandomize, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer func() {
		if _, _, errno := unix.Syscall(unix.SYS_PERSONALITY, old, 0, 0); errno == 0 {
			runtime.UnlockOSThread()
		}
	}()
	res := runBox(t, shell("cat /proc/self/personality"), IO{})
	if res.Stdout.Text != "00000000\n" {
		t.Errorf("the program's personality is %q", res.Stdout.Text)
	}
}
