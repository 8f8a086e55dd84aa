// Package paths knows which system calls take paths, in which arguments, and what
// each wants of what is there.
package paths

import (
	"strings"

	"golang.org/x/sys/unix"
)

// A Want is what a call wants of a path: one bit or several.
type Want uint16

const (
	Look    Want = 1 << iota // to know of it: stat, access, readlink
	Enter                    // to make it the working folder
	Read                     // to open it for reading, which of a folder is listing it
	Write                    // to open it for writing, or to cut it
	Make                     // to have it made if it is not there
	Remove                   // to have it gone
	Execute                  // to become it
	Change                   // to change its mode, times, owner or attributes
	Connect                  // to connect to the socket there
	Replace                  // to write it from its start, whether it is there or not
	Ask                      // to know whether it may be written to: access(2), W_OK
)

// An Operand is one path of a call.
type Operand struct {
	FD       int32  // the folder from which a relative one counts, or AT_FDCWD
	Address  uint64 // where it stands in the caller's memory
	Want     Want
	NoFollow bool // a link at its end is meant itself
	New      bool // it must not be there yet: that it is is no refusal
	Anew     bool // it is written from its start, and made where it is not there
	Socket   bool // at Address is a struct sockaddr, as long as Length says
	Length   uint64
}

// A Call is a system call that takes paths.
type Call struct {
	Name string
	// Unless is a bit of the argument Flags, with which the call is about a
	// descriptor mostly (AT_EMPTY_PATH): of those that only look, so often, it is not
	// heard. 0 is none.
	Unless uint32
	Flags  int
}

// A form is where a call has its operands: one or two places, and the argument of
// the flags, or -1, in which bit is the one by which links are not followed.
type form struct {
	name   string
	first  place
	second place
	flags  int
	bit    uint32
}

// A place is the arguments of a path and of the folder from which it counts. Without
// a folder fd is -1, without an operand at is.
type place struct {
	fd, at   int
	want     Want
	noFollow bool
	isNew    bool
}

const noFollow, emptyPath = unix.AT_SYMLINK_NOFOLLOW, unix.AT_EMPTY_PATH

func one(at int, want Want) place     { return place{fd: -1, at: at, want: want} }
func below(fd, at int, w Want) place  { return place{fd: fd, at: at, want: w} }
func itself(p place) place            { p.noFollow = true; return p }
func fresh(p place) place             { p.noFollow, p.isNew = true, true; return p }
func none() place                     { return place{at: -1} }
func plain(name string, p place) form { return form{name: name, first: p, second: none(), flags: -1} }
func pair(name string, a, b place) form {
	return form{name: name, first: a, second: b, flags: -1}
}
func flagged(name string, p place, flags int) form {
	return form{name: name, first: p, second: none(), flags: flags, bit: noFollow}
}

// forms are all of them, but for open, openat, creat, connect and bind.
func forms() []form {
	return []form{
		plain("stat", one(0, Look)), plain("lstat", itself(one(0, Look))),
		flagged("newfstatat", below(0, 1, Look), 3), flagged("statx", below(0, 1, Look), 2),
		plain("access", one(0, Look)), plain("faccessat", below(0, 1, Look)), flagged("faccessat2", below(0, 1, Look), 3),
		plain("readlink", itself(one(0, Look))), plain("readlinkat", itself(below(0, 1, Look))),
		plain("statfs", one(0, Look)),
		plain("getxattr", one(0, Look)), plain("listxattr", one(0, Look)), plain("lgetxattr", itself(one(0, Look))), plain("llistxattr", itself(one(0, Look))),
		plain("execve", one(0, Execute)), flagged("execveat", below(0, 1, Execute), 4),
		plain("chdir", one(0, Enter)),
		plain("mkdir", fresh(one(0, Make))), plain("mkdirat", fresh(below(0, 1, Make))),
		plain("mknod", fresh(one(0, Make))), plain("mknodat", fresh(below(0, 1, Make))),
		plain("symlink", fresh(one(1, Make))), plain("symlinkat", fresh(below(1, 2, Make))),
		plain("rmdir", itself(one(0, Remove))), plain("unlink", itself(one(0, Remove))), plain("unlinkat", itself(below(0, 1, Remove))),
		pair("rename", itself(one(0, Remove)), itself(one(1, Make))),
		pair("renameat", itself(below(0, 1, Remove)), itself(below(2, 3, Make))),
		pair("renameat2", itself(below(0, 1, Remove)), itself(below(2, 3, Make))),
		pair("link", itself(one(0, Look)), fresh(one(1, Make))),
		pair("linkat", itself(below(0, 1, Look)), fresh(below(2, 3, Make))),
		plain("truncate", one(0, Write)),
		plain("chmod", one(0, Change)), plain("fchmodat", below(0, 1, Change)),
		plain("chown", one(0, Change)), plain("lchown", itself(one(0, Change))), flagged("fchownat", below(0, 1, Change), 4),
		plain("utime", one(0, Change)), plain("utimes", one(0, Change)), plain("futimesat", below(0, 1, Change)),
		flagged("utimensat", below(0, 1, Change), 3),
		plain("setxattr", one(0, Change)), plain("removexattr", one(0, Change)), plain("lsetxattr", itself(one(0, Change))), plain("lremovexattr", itself(one(0, Change))),
	}
}

// Calls are all that take paths. Those that this architecture does not have are
// among them.
func Calls() []Call {
	calls := []Call{{Name: "open"}, {Name: "openat"}, {Name: "creat"}, {Name: "connect"}, {Name: "bind"}}
	for _, f := range forms() {
		c := Call{Name: f.name}
		if f.name == "newfstatat" || f.name == "statx" { // with which fstat(3) is made
			c.Unless, c.Flags = emptyPath, f.flags
		}
		calls = append(calls, c)
	}
	return calls
}

// Of is the paths of the call with that name; none for one that takes none.
func Of(name string, args [6]uint64) []Operand {
	switch name {
	case "open":
		return []Operand{opened(unix.AT_FDCWD, args[0], uint32(args[1]))}
	case "openat":
		return []Operand{opened(int32(args[0]), args[1], uint32(args[2]))}
	case "creat":
		return []Operand{opened(unix.AT_FDCWD, args[0], unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)}
	case "connect":
		return []Operand{{FD: unix.AT_FDCWD, Address: args[1], Want: Connect, Socket: true, Length: args[2]}}
	case "bind": // which makes the socket's file
		return []Operand{{FD: unix.AT_FDCWD, Address: args[1], Want: Make, NoFollow: true, New: true, Socket: true, Length: args[2]}}
	}
	for _, f := range forms() {
		if f.name != name {
			continue
		}
		operands := make([]Operand, 0, 2)
		for _, p := range []place{f.first, f.second} {
			if p.at < 0 {
				continue
			}
			o := Operand{FD: unix.AT_FDCWD, Address: args[p.at], Want: p.want, NoFollow: p.noFollow, New: p.isNew}
			if p.fd >= 0 {
				o.FD = int32(args[p.fd])
			}
			if f.flags >= 0 && uint32(args[f.flags])&f.bit != 0 {
				o.NoFollow = true
			}
			if mode := p.at + 1; (name == "access" || strings.HasPrefix(name, "faccessat")) && args[mode]&unix.W_OK != 0 {
				o.Want |= Ask
			}
			operands = append(operands, o)
		}
		return operands
	}
	return nil
}

// opened is what open(2) wants by its flags.
func opened(fd int32, address uint64, flags uint32) Operand {
	o := Operand{FD: fd, Address: address, NoFollow: flags&unix.O_NOFOLLOW != 0}
	switch {
	case flags&unix.O_PATH != 0:
		o.Want = Look
		return o
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		o.Want = Write // to the folder that is named
		return o
	case flags&unix.O_ACCMODE == unix.O_RDONLY:
		o.Want = Read
	case flags&unix.O_ACCMODE == unix.O_WRONLY:
		o.Want = Write
	default:
		o.Want = Read | Write
	}
	if flags&unix.O_TRUNC != 0 {
		o.Want |= Write
	}
	if flags&unix.O_CREAT != 0 {
		o.Want |= Make
		o.New = flags&unix.O_EXCL != 0
		o.Anew = flags&unix.O_TRUNC != 0 && !o.New
		o.NoFollow = o.NoFollow || o.New
	}
	return o
}
