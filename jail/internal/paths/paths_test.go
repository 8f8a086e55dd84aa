package paths

import (
	"slices"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

func TestOf(t *testing.T) {
	const cwd, creating = unix.AT_FDCWD, Make | Write
	at := func(v int32) uint64 { return uint64(uint32(v)) }
	for _, c := range []struct {
		name string
		args [6]uint64
		want []Operand
	}{
		{"open", [6]uint64{7, unix.O_RDONLY | unix.O_CLOEXEC}, []Operand{{FD: cwd, Address: 7, Want: Read}}},
		{"openat", [6]uint64{3, 7, unix.O_RDWR}, []Operand{{FD: 3, Address: 7, Want: Read | Write}}},
		{"openat", [6]uint64{at(cwd), 7, unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC}, []Operand{{FD: cwd, Address: 7, Want: creating, Anew: true}}},
		{"openat", [6]uint64{at(cwd), 7, unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL}, []Operand{{FD: cwd, Address: 7, Want: creating, New: true, NoFollow: true}}},
		{"openat", [6]uint64{at(cwd), 7, unix.O_RDWR | unix.O_TMPFILE}, []Operand{{FD: cwd, Address: 7, Want: Write}}},
		{"openat", [6]uint64{at(cwd), 7, unix.O_PATH | unix.O_NOFOLLOW}, []Operand{{FD: cwd, Address: 7, Want: Look, NoFollow: true}}},
		{"creat", [6]uint64{7, 0o644}, []Operand{{FD: cwd, Address: 7, Want: creating, Anew: true}}},
		{"newfstatat", [6]uint64{5, 7, 8, unix.AT_SYMLINK_NOFOLLOW}, []Operand{{FD: 5, Address: 7, Want: Look, NoFollow: true}}},
		{"faccessat", [6]uint64{5, 7, 4, unix.AT_SYMLINK_NOFOLLOW}, []Operand{{FD: 5, Address: 7, Want: Look}}}, // the kernel's has no flags
		{"access", [6]uint64{7, unix.R_OK | unix.W_OK}, []Operand{{FD: cwd, Address: 7, Want: Look | Ask}}},
		{"faccessat2", [6]uint64{5, 7, unix.W_OK, unix.AT_SYMLINK_NOFOLLOW}, []Operand{{FD: 5, Address: 7, Want: Look | Ask, NoFollow: true}}},
		{"faccessat", [6]uint64{5, 7, unix.X_OK}, []Operand{{FD: 5, Address: 7, Want: Look}}},
		{"renameat2", [6]uint64{5, 7, 6, 8}, []Operand{{FD: 5, Address: 7, Want: Remove, NoFollow: true}, {FD: 6, Address: 8, Want: Make, NoFollow: true}}},
		{"symlinkat", [6]uint64{7, 5, 8}, []Operand{{FD: 5, Address: 8, Want: Make, NoFollow: true, New: true}}},
		{"connect", [6]uint64{3, 7, 110}, []Operand{{FD: cwd, Address: 7, Want: Connect, Socket: true, Length: 110}}},
		{"bind", [6]uint64{3, 7, 110}, []Operand{{FD: cwd, Address: 7, Want: Make, NoFollow: true, New: true, Socket: true, Length: 110}}},
		{"lsetxattr", [6]uint64{7, 8}, []Operand{{FD: cwd, Address: 7, Want: Change, NoFollow: true}}},
		{"read", [6]uint64{3, 7, 110}, nil},
	} {
		if got := Of(c.name, c.args); !slices.Equal(got, c.want) {
			t.Errorf("Of(%s, %v) = %+v, want %+v", c.name, c.args, got, c.want)
		}
	}
}

// Every call that is listed is one of the kernel's, and has operands.
func TestCalls(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Calls() {
		if seen[c.Name] {
			t.Errorf("%s is listed twice", c.Name)
		}
		seen[c.Name] = true
		if len(Of(c.Name, [6]uint64{})) == 0 {
			t.Errorf("%s has no operands", c.Name)
		}
		if _, ok := seccomp.Number(c.Name); !ok && !slices.Contains([]string{"open", "creat", "stat", "lstat", "newfstatat", "access", "readlink", "mkdir",
			"mknod", "symlink", "rmdir", "unlink", "rename", "link", "chmod", "chown", "lchown", "utime", "utimes", "futimesat"}, c.Name) {
			t.Errorf("%s is no system call", c.Name)
		}
	}
}

// What changes something is heard of whatever its flags: a path may stand beside
// AT_EMPTY_PATH.
func TestUnless(t *testing.T) {
	for _, c := range Calls() {
		looks := c.Name == "newfstatat" || c.Name == "statx"
		if (c.Unless != 0) != looks {
			t.Errorf("%s is not heard of with %#x", c.Name, c.Unless)
		}
		for _, o := range Of(c.Name, [6]uint64{}) {
			if c.Unless != 0 && o.Want != Look {
				t.Errorf("%s wants %v of %+v unheard", c.Name, o.Want, o)
			}
		}
	}
}
