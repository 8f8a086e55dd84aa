package spell

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"
)

// words is a memory that holds text at addresses.
func words(at map[uint64]string) Memory {
	return func(address uint64, b []byte) int { return copy(b, at[address]) }
}

func TestCall(t *testing.T) {
	const cwd = 0xffffffff_ffffff9c // AT_FDCWD
	memory := words(map[uint64]string{1: "tmpfs\x00rest", 2: "/mnt\x00", 3: "a\n\"\x1b[31m\xff\u202e\\\x00", 4: strings.Repeat("x", 300), 5: strings.Repeat("y", 100) + "\x00", 6: "cut"})
	for want, c := range map[string]struct {
		name string
		args [6]uint64
	}{
		"socket(AF_INET, SOCK_STREAM)":                {"socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}},
		"socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP)":   {"socket", [6]uint64{unix.AF_INET6, unix.SOCK_DGRAM, 17}},
		"socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT)": {"socket", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}},
		"socket(AF_PACKET, SOCK_RAW, 768)":            {"socket", [6]uint64{unix.AF_PACKET, unix.SOCK_RAW, 768}},
		"socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)":  {"socket", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK, 0}},
		"socket(99, 0)":                                          {"socket", [6]uint64{99 | 1<<32, 1 << 32, 0}},
		"ptrace(PTRACE_ATTACH, 7, …)":                            {"ptrace", [6]uint64{unix.PTRACE_ATTACH, 7}},
		"unshare(CLONE_NEWUSER)":                                 {"unshare", [6]uint64{unix.CLONE_NEWUSER}},
		"unshare(CLONE_NEWTIME)":                                 {"unshare", [6]uint64{unix.CLONE_NEWTIME}},
		"unshare(0)":                                             {"unshare", [6]uint64{}},
		"clone(CLONE_NEWUSER|CLONE_NEWNET, …)":                   {"clone", [6]uint64{unix.CLONE_NEWUSER | unix.CLONE_NEWNET | 17}},
		`mount("tmpfs", "/mnt", NULL, MS_RDONLY|MS_NOSUID, …)`:   {"mount", [6]uint64{1, 2, 0, unix.MS_RDONLY | unix.MS_NOSUID}},
		`mount("tmpfs", 0xdead, "/mnt", 0, …)`:                   {"mount", [6]uint64{1, 0xdead, 2, 0}},
		`mkdirat(AT_FDCWD, "/mnt", 02755)`:                       {"mkdirat", [6]uint64{cwd, 2, 0o2755}},
		`openat(fd, "/mnt", O_WRONLY|O_CREAT, 04755)`:            {"openat", [6]uint64{3, 2, unix.O_CREAT | unix.O_WRONLY | unix.O_CLOEXEC, 0o4755}},
		`open("/mnt", O_RDONLY)`:                                 {"open", [6]uint64{2, 0, 0o7777}},
		`mknod("/mnt", S_IFBLK|0600, …)`:                         {"mknod", [6]uint64{2, unix.S_IFBLK | 0o600}},
		`chroot("a\x0a\"\x1b[31m\xff\u{202e}\\")`:                {"chroot", [6]uint64{3}},
		`chroot("` + strings.Repeat("x", longestText) + `"…)`:    {"chroot", [6]uint64{4}},
		`chroot("` + strings.Repeat("y", longestText) + `"…)`:    {"chroot", [6]uint64{5}},
		`chroot("cut"…)`:                                         {"chroot", [6]uint64{6}},
		"flock(fd, LOCK_EX|LOCK_NB)":                             {"flock", [6]uint64{3, unix.LOCK_EX | unix.LOCK_NB}},
		"inotify_init1()":                                        {"inotify_init1", [6]uint64{0x80000}},
		"fcntl(fd, F_SETLEASE, …)":                               {"fcntl", [6]uint64{3, unix.F_SETLEASE}},
		"ioctl(fd, TIOCSTI, …)":                                  {"ioctl", [6]uint64{0, 1<<32 | unix.TIOCSTI}},
		"ioctl(fd, 0xdeadbeef, …)":                               {"ioctl", [6]uint64{0, 0xdeadbeef}},
		"prlimit64(1, RLIMIT_CPU, …)":                            {"prlimit64", [6]uint64{1, unix.RLIMIT_CPU}},
		"mmap(PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_HUGETLB, …)": {"mmap", [6]uint64{0, 1 << 21, 3, unix.MAP_PRIVATE | unix.MAP_HUGETLB}},
		"kexec_load(…)":                                          {"kexec_load", [6]uint64{}},
		"system call 999":                                        {"", [6]uint64{}},
	} {
		if got := Call(c.name, 999, c.args, memory); got != want {
			t.Errorf("Call(%s, %#x) = %s, want %s", c.name, c.args, got, want)
		}
	}
	if got := Call("chroot", 0, [6]uint64{0xbeef}, nil); got != "chroot(0xbeef)" {
		t.Errorf("without memory: %s", got)
	}
}

// No call and no text, whatever it is, has more than a few words or steers a terminal.
func FuzzCall(f *testing.F) {
	f.Add(uint8(20), uint64(1), uint64(2), []byte("text\x1b"))
	f.Fuzz(func(t *testing.T, which uint8, a, b uint64, text []byte) {
		name := calls[int(which)%len(calls)].name
		got := Call(name, 0, [6]uint64{a, b, a, b, a, b}, func(_ uint64, to []byte) int { return copy(to, text) })
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Errorf("%s: %q holds %q", name, got, r)
			}
		}
		if len(got) > 4000 || !strings.HasPrefix(got, name+"(") {
			t.Errorf("%s: %d bytes: %.80q", name, len(got), got)
		}
	})
}

// Each name is that of one value within its table.
func TestNamesDiffer(t *testing.T) {
	for i := range kinds {
		seen := map[uint32]string{}
		for _, n := range kinds[i].names {
			if other, ok := seen[n.value]; ok {
				t.Errorf("%s: %s and %s are both %#x", kinds[i].kind, other, n.name, n.value)
			}
			seen[n.value] = n.name
		}
	}
	for i := range calls {
		for _, k := range strings.Fields(calls[i].args) {
			known := strings.Contains(" - … int pid fd hex size mode node text protocol made1 made2 ", " "+k+" ")
			for j := range kinds {
				known = known || kinds[j].kind == k
			}
			if !known {
				t.Errorf("%s: no kind %q", calls[i].name, k)
			}
		}
	}
}
