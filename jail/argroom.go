package jail

import (
	"fmt"
	"strconv"
)

// argRoom is how many bytes of arguments and environment the kernel passes to a
// program in a box: a quarter of its stack's limit (execve(2)), of which a page is
// left for the program's path and a #! line.
const argRoom = stackSoft/4 - 4<<10

// tooMuch is the fault of arguments and an environment that don't fit. The kernel
// counts each string with its NUL and its pointer.
func (s Spec) tooMuch() Faults {
	n := 0
	for _, list := range [...][]string{s.Args, s.Env} {
		for _, text := range list {
			n += len(text) + 1 + 8
		}
	}
	if n <= argRoom {
		return nil
	}
	return Faults{{"args", strconv.Itoa(n) + " bytes", fmt.Sprintf("arguments and environment together must not exceed %d bytes, a quarter of the box's stack (execve(2)): "+
		"pass more in a file, or on stdin", argRoom)}}
}
