package jail

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A question is what is tried in a box in the place of a program. The process that
// would become one makes the calls, behind all the walls; PID 1's code carries them
// out as it does any other step, only that every result is the wanted one.
type question struct {
	tries   []*try
	far     bool   // it is about an address outside the box
	path    string // whose stat(2) and statfs(2) are asked for, or ""
	special bool   // what is there is not to be opened
	socket  string // the path that is connected to, whose stat(2) is asked for, or ""
	// abstract says that it is a socket of a name without a path (unix(7)).
	abstract bool
}

// A try is one call. Its numbers are known when the plan is made.
type try struct {
	access string // what it would be for
	call   string // as people read it
	name   string // of the system call
	args   func(b *builder) []arg
	fd     *try // whose result is the first argument, or nil
	// variant says that it is of a call that is tried with other arguments as well, and told
	// of only if the filter refuses it.
	variant bool
	// notTried is why the call is not made; the filter is asked alone.
	notTried string

	nr     int
	values [6]uint64
	at     uint64 // of its result in the report
	result int32
}

// answerRoom is where the report of all tries is made up: a head like evidence's, the
// results, and a struct stat and statfs of the path.
type answerRoom struct {
	at, size uint64
	stat     uint64 // offsets in the report
	statfs   uint64
}

const statSize = uint64(unsafe.Sizeof(unix.Stat_t{}))

// execveCheck is AT_EXECVE_CHECK, of Linux 6.14: whether it could be executed, and
// no more.
const execveCheck = 0x10000

// ask adds the calls of a question, the report of them and the end.
func (b *builder) ask(q *question) {
	results := uint64(4*len(q.tries)+7) &^ 7
	b.tried = answerRoom{stat: 8 + results, statfs: 8 + results + statSize, size: 8 + results + statSize + statfsSize}
	head := make([]byte, b.tried.size)
	binary.LittleEndian.PutUint32(head, planMagic)
	binary.LittleEndian.PutUint32(head[4:], reportTried)
	b.tried.at = b.bytes(head)
	if q.path != "" { // a program is, from its execve(2) on, and so owns what is in /proc/self
		b.call(unix.SYS_PRCTL, "prctl", "dumpable", num(unix.PR_SET_DUMPABLE, "PR_SET_DUMPABLE"), num(1)).wants(wantAll)
	}
	for i, t := range q.tries {
		t.at = b.tried.at + 8 + 4*uint64(i)
		args := []arg(nil)
		if t.args != nil {
			args = t.args(b)
		}
		for i, a := range args {
			t.values[i] = a.value
		}
		if t.fd != nil {
			args = append([]arg{cell{t.fd.at, "socket"}.arg()}, args...)
			copy(t.values[1:], t.values[:5])
			t.values[0] = 0
		}
		if t.notTried == "" {
			b.call(uint32(t.nr), t.name, t.access, args...).keep(cell{t.at, t.access})
			b.lastStep().wants(wantAll)
			if t.name == "openat" { // of a file that is open to be written nothing is executed (execve(2), ETXTBSY)
				b.call(unix.SYS_CLOSE, "close", t.access, cell{t.at, t.access}.arg()).wants(wantAll)
			}
		}
	}
	if p := cmp.Or(q.path, q.socket); p != "" {
		at := b.str(p)
		b.call(unix.SYS_STATFS, "statfs", p, at, num(b.tried.at+b.tried.statfs)).wants(wantAll)
		b.call(sysNewfstatat, "newfstatat", p, num(unix.AT_FDCWD, "AT_FDCWD"), at, num(b.tried.at+b.tried.stat), num(0)).wants(wantAll)
	}
	b.call(unix.SYS_WRITE, "write", "answers", num(fdReport), num(b.tried.at), num(b.tried.size)).wants(int32(b.tried.size))
	b.call(unix.SYS_EXIT_GROUP, "exit_group", "", num(0))
}

func (b *builder) lastStep() *Step {
	steps := b.lists[b.list]
	return &steps[len(steps)-1]
}

const cwd = "AT_FDCWD"

// pathQuestion opens, lists, writes, makes and executes at a path without changing
// anything there.
func pathQuestion(p string) *question {
	open := func(access, path string, flags int, text string, mode ...arg) *try {
		return &try{access: access, name: "openat", call: fmt.Sprintf("openat(%s, %s)", shellword.Shown(path), text),
			args: func(b *builder) []arg {
				return append([]arg{num(unix.AT_FDCWD, cwd), b.str(path), num(flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, text)}, mode...)
			}}
	}
	mode := num(0o600, "0600")
	q := &question{path: p, tries: []*try{
		{access: accessLook, name: "newfstatat", call: fmt.Sprintf("newfstatat(%s)", shellword.Shown(p)),
			args: func(b *builder) []arg {
				return []arg{num(unix.AT_FDCWD, cwd), b.str(p), num(b.room(int(statSize))), num(0)}
			}},
		open(accessRead, p, unix.O_RDONLY, "O_RDONLY"),
		open(accessWrite, p, unix.O_WRONLY, "O_WRONLY"),
		open(accessMakeIn, p, unix.O_WRONLY|unix.O_TMPFILE, "O_WRONLY|O_TMPFILE", mode),
		{access: accessExecute, name: "execveat", call: fmt.Sprintf("execveat(%s, AT_EXECVE_CHECK)", shellword.Shown(p)),
			args: func(b *builder) []arg {
				return []arg{num(unix.AT_FDCWD, cwd), b.str(p), b.pointers([]string{p}), b.pointers(nil), num(execveCheck, "AT_EXECVE_CHECK")}
			}},
		{access: accessMode, name: "faccessat", call: fmt.Sprintf("faccessat(%s, X_OK)", shellword.Shown(p)),
			args: func(b *builder) []arg { return []arg{num(unix.AT_FDCWD, cwd), b.str(p), num(unix.X_OK, "X_OK")} }},
	}}
	if above := path.Dir(p); above != p {
		q.tries = append(q.tries, open(accessMake, above, unix.O_WRONLY|unix.O_TMPFILE, "O_WRONLY|O_TMPFILE", mode))
	}
	return q
}

// What a path is tried for.
const (
	accessLook    = "look at it"
	accessRead    = "read it"
	accessWrite   = "write it"
	accessMakeIn  = "make files in it"
	accessMake    = "make it"
	accessExecute = "execute it"
	accessMode    = "execute it by its mode"
)

// callQuestion makes a system call with arguments that do no harm: nothing at all,
// mostly, or the kinds that the filter tells apart.
func callQuestion(name string) *question {
	if why := neverTried()[name]; why != "" {
		q := &question{tries: []*try{{access: "call it", name: name, call: name + "(…)", notTried: why}}}
		q.tries = append(q.tries, refusedVariants(name, [][6]uint64{{}})...)
		return q
	}
	kinds := callKinds()[name]
	if len(kinds) == 0 {
		kinds = []callKind{{"0, 0, 0, 0, 0, 0", [6]uint64{}}}
	}
	q := &question{}
	var known [][6]uint64
	for _, k := range kinds {
		known = append(known, k.args)
		q.tries = append(q.tries, &try{access: "call it", name: name, call: name + "(" + k.text + ")", args: func(*builder) []arg {
			args := make([]arg, 6)
			for i, v := range k.args {
				args[i] = num(v)
			}
			return args
		}})
	}
	q.tries = append(q.tries, refusedVariants(name, known)...)
	return q
}

// neverTried are calls that come to no result, whatever their arguments. A function,
// as callKinds: runs that ask nothing are not to fill such tables at their start.
func neverTried() map[string]string {
	return map[string]string{
		"exit": "it ends the process that tries", "exit_group": "it ends the process that tries", "rt_sigreturn": "it takes a signal handler to return from",
		"fork": "it would make a process", "vfork": "it would make a process", "clone": "it would make a process", "pause": "it waits for a signal for good",
	}
}

// ofTheTry is why the kernel refuses a call to the process that tries it, or with the
// arguments of the try, and not to a program.
func ofTheTry() map[string]string {
	const leads, whose = "the process that tries leads its session already, as the program does; one that it starts can", "what it was tried on, standard input, is not the box's own"
	return map[string]string{"setsid": leads, "setpgid": leads, "fchmod": whose, "fchown": whose,
		"setpriority": "the box's priority is lower than the one that was tried; it can be lowered further, never raised"}
}

type callKind struct {
	text string
	args [6]uint64
}

const minusOne = ^uint64(0)

// callKinds are the arguments where nothing at all would wait, be refused by the
// filter for its own sake, or say little.
func callKinds() map[string][]callKind {
	return map[string][]callKind{
		"select": {{"-1, …", [6]uint64{minusOne}}}, "pselect6": {{"-1, …", [6]uint64{minusOne}}}, "ppoll": {{"NULL, -1, …", [6]uint64{0, minusOne}}},
		"fcntl": {{"-1, F_GETFD", [6]uint64{minusOne, unix.F_GETFD}}, {"-1, F_SETLEASE", [6]uint64{minusOne, unix.F_SETLEASE}}},
		"ioctl": {{"-1, TCGETS", [6]uint64{minusOne, unix.TCGETS}}, {"-1, TIOCSTI", [6]uint64{minusOne, unix.TIOCSTI}}},
		"socket": {{"AF_UNIX, SOCK_STREAM", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}}, {"AF_INET, SOCK_STREAM", [6]uint64{unix.AF_INET, unix.SOCK_STREAM}},
			{"AF_INET6, SOCK_DGRAM", [6]uint64{unix.AF_INET6, unix.SOCK_DGRAM}}, {"AF_INET, SOCK_RAW, IPPROTO_ICMP", [6]uint64{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}},
			{"AF_NETLINK, SOCK_RAW", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW}}, {"AF_VSOCK, SOCK_STREAM", [6]uint64{unix.AF_VSOCK, unix.SOCK_STREAM}}},
		"socketpair": {{"AF_UNIX, SOCK_STREAM, 0, NULL", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}}, {"AF_UNIX, SOCK_DGRAM, 0, NULL", [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}}},
		"unshare":    {{"CLONE_NEWUSER", [6]uint64{unix.CLONE_NEWUSER}}, {"CLONE_FS", [6]uint64{unix.CLONE_FS}}},
		"prctl":      {{"PR_GET_DUMPABLE", [6]uint64{unix.PR_GET_DUMPABLE}}, {"PR_SET_MM", [6]uint64{unix.PR_SET_MM}}},
		"mmap": {{"NULL, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS, -1", [6]uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, minusOne}},
			{"NULL, 2097152, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB, -1", [6]uint64{0, 2 << 20, unix.PROT_READ, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB, minusOne}}},
		"seccomp": {{"SECCOMP_GET_ACTION_AVAIL, 0, NULL", [6]uint64{unix.SECCOMP_GET_ACTION_AVAIL}},
			{"SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL", [6]uint64{setModeFilter, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER}}},
		"memfd_create": {{"NULL, MFD_CLOEXEC", [6]uint64{0, unix.MFD_CLOEXEC}}, {"NULL, MFD_NOEXEC_SEAL", [6]uint64{0, unix.MFD_NOEXEC_SEAL}}},
		"ioprio_set":   {{"IOPRIO_WHO_PROCESS, 0, 0", [6]uint64{1}}},
		"ptrace":       {{"PTRACE_ATTACH, -1", [6]uint64{unix.PTRACE_ATTACH, minusOne}}},
		"close":        {{"-1", [6]uint64{minusOne}}},
		"close_range":  {{"1, 0", [6]uint64{1}}},
		"iopl":         {{"3", [6]uint64{3}}}, // 0 is what every process has
		"ioperm":       {{"0, 1, 1", [6]uint64{0, 1, 1}}},
		"dup2":         {{"-1, -1", [6]uint64{minusOne, minusOne}}},
	}
}
