package jail

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The range for boxes' uids never has the first id of one of the map's own, which
// alone can be host root.
func TestFreeIDs(t *testing.T) {
	for _, c := range []struct {
		uidMap string
		base   uint32
		ok     bool
	}{
		{"0 0 4294967295", ownUIDBase, true},
		{"0 100000 65536", 0, false},
		{"0 0 1", 0, false},
		{"", 0, false},
		{"0 0 16777216", 16777216 - maxThreads, true},
		{"0 0 1\n1 100000 16777216", 1 + 16777216 - maxThreads, true},
		{"0 0 8388608", 0, false},
		{"0 0 8388609", 8388609 - maxThreads, true},
		{"0 0 1879048192\n1879048192 100000 4194304", 1879048192 - maxThreads, true},
		{"0 100000 1\n1879048192 0 8388608", 0, false},
		{"0 100000 1\n1879048192 0 8388609", 1879048192 + 8388609 - maxThreads, true},
		{"0 100000 1\n1879048191 0 8388609", ownUIDBase, true},
	} {
		base, ok := freeIDs([]byte(c.uidMap))
		if ok != c.ok || ok && base != c.base {
			t.Errorf("freeIDs(%q) = %d, %v, want %d, %v", c.uidMap, base, ok, c.base, c.ok)
		}
		if ok && !holdsIDs([]byte(c.uidMap), base) {
			t.Errorf("holdsIDs(%q, %d) = false of its own base", c.uidMap, base)
		}
	}
	for idMap, want := range map[string]bool{
		"0 0 16777216": true, "0 0 12582912": false, "8388608 0 8388608": false, "8388607 0 8388609": true, "0 0 8388608\n8388608 100000 8388608": false, "0 0 1": false, "": false,
	} {
		const base = 16777216 - maxThreads
		if got := holdsIDs([]byte(idMap), base); got != want {
			t.Errorf("holdsIDs(%q, %d) = %v, want %v", idMap, base, got, want)
		}
	}
}

// probedIDs is what a copy of this program, somewhere else, finds out about itself.
type probedIDs struct {
	UID       int
	HostRoot  bool
	HostUsers bool
	OwnUID    bool
	Refused   string
}

func printIDs() int {
	h := host{uid: os.Geteuid(), gid: os.Getegid()}
	err := h.probeIDs()
	p := probedIDs{UID: h.uid, HostRoot: mayBeHostRoot(h.uid), HostUsers: h.hostUsers, OwnUID: h.ownUID}
	if err != nil {
		p.Refused = err.Error()
	}
	if json.NewEncoder(os.Stdout).Encode(p) != nil {
		return 1
	}
	return 0
}

// Whatever number a user namespace gives the caller and host root, it is known
// whether they are one, and the box of host root is refused or has ids of its own.
func TestHostRoot(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "the user namespaces are host root's")
	}
	exe := testCopy(t)
	type ids = []syscall.SysProcIDMap
	const user, none, overflow = 54321, -1, 65534
	for _, c := range []struct {
		name  string
		who   int // on the host
		maps  ids // of a user namespace, if there are any
		as    int // there
		words []string
		want  probedIDs // Refused: anything
	}{
		{"host root", 0, nil, none, nil, probedIDs{UID: 0, HostRoot: true, HostUsers: true, OwnUID: true}},
		{"a user", user, nil, none, nil, probedIDs{UID: user, HostUsers: true}},
		{"nobody", overflow, nil, none, nil, probedIDs{UID: overflow, HostUsers: true}},
		{"host root as 0", 0, ids{{ContainerID: 0, HostID: 0, Size: 1}}, 0, nil, probedIDs{UID: 0, HostRoot: true, Refused: "x"}},
		{"host root as 1000", 0, ids{{ContainerID: 1000, HostID: 0, Size: 1}}, 1000, nil, probedIDs{UID: 1000, HostRoot: true, Refused: "x"}},
		{"host root as the overflow uid", 0, ids{{ContainerID: overflow, HostID: 0, Size: 1}}, overflow, nil, probedIDs{UID: overflow, HostRoot: true, Refused: "x"}},
		{"host root without a number", 0, nil, none, []string{"unshare", "--user"}, probedIDs{UID: overflow, HostRoot: true, Refused: "x"}},
		{"a user without a number", user, nil, none, []string{"unshare", "--user"}, probedIDs{UID: overflow}},
		{"a user as the overflow uid", user, nil, none, []string{"unshare", "--user", "--map-user=65534"}, probedIDs{UID: overflow}},
		{"nobody as root", overflow, nil, none, []string{"unshare", "--user", "--map-root-user"}, probedIDs{}},
		{"a user as root, twice", user, nil, none, []string{"unshare", "--user", "--map-root-user", "unshare", "--user", "--map-root-user"}, probedIDs{}},
		{"host root, twice", 0, ids{{ContainerID: 5, HostID: 0, Size: 1}}, 5, []string{"unshare", "--user", "--map-root-user"}, probedIDs{HostRoot: true, Refused: "x"}},
		{"host root as 1000 beside many", 0, ids{{ContainerID: 1000, HostID: 0, Size: 1}, {ContainerID: 2000, HostID: 100000, Size: 1 << 24}}, 1000, nil,
			probedIDs{UID: 1000, HostRoot: true, Refused: "x"}},
		{"another as 0 beside host root", 0, ids{{ContainerID: 0, HostID: 100000, Size: 1}, {ContainerID: 1000, HostID: 0, Size: 1}}, 0, nil, probedIDs{}},
		{"host root as 0 with many", 0, ids{{ContainerID: 0, HostID: 0, Size: 1 << 24}}, 0, nil, probedIDs{HostRoot: true, OwnUID: true}},
	} {
		args := append(append([]string{}, c.words...), exe, insidePrefix+"printIDs")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		if c.who != 0 {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.who), Gid: uint32(c.who)}
		}
		if c.maps != nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: c.maps, GidMappings: c.maps, GidMappingsEnableSetgroups: true,
				Credential: &syscall.Credential{Uid: uint32(c.as), Gid: uint32(c.as)}, AmbientCaps: ambientOf(c.as)}
		}
		got := printed(t, cmd)
		if refused := got.Refused != ""; refused == (c.want.Refused != "") {
			got.Refused = c.want.Refused
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What else of a proc is mounted over the tree of sysctls, or over the proc, says nothing
// of host root, though it belongs to somebody else.
func TestHostRootBehindMounts(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "the mounts are host root's")
	}
	other := exec.Command("sleep", "60")
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 2000, Gid: 2000}}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	exe, of := testCopy(t), "/proc/"+strconv.Itoa(other.Process.Pid)
	for _, mounts := range []string{
		"true",
		"mount --bind " + of + " /proc/sys",
		"mount --bind " + of + "/task /proc/sys",
		"mount --bind " + of + "/environ /proc/sys/kernel/cad_pid",
		"mount --bind /proc/sys /proc/sys && mount --bind " + of + "/environ /proc/sys/kernel/cad_pid",
		"mount --bind " + of + "/attr /proc/sys/kernel",
		"mount -t tmpfs none /proc/sys && mkdir /proc/sys/kernel && touch /proc/sys/kernel/ostype && chown -R 2000 /proc/sys",
	} {
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
			mounts+" && exec setpriv --reuid 0 -- unshare --user --map-user=1000 --map-group=1000 "+exe+" "+insidePrefix+"printIDs")
		cmd.Dir = "/"
		if got := printed(t, cmd); got.UID != 1000 || !got.HostRoot || got.Refused == "" {
			t.Errorf("%s: %+v, want host root, and refused", mounts, got)
		}
	}
}

// A namespace with many uids and few groups gives no box ids of its own.
func TestFewGroups(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "the user namespaces are host root's")
	}
	cmd := exec.Command(testCopy(t), insidePrefix+"printIDs")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{Size: 1 << 24}}, GidMappings: []syscall.SysProcIDMap{{Size: 1}}}
	if got := printed(t, cmd); got.OwnUID || got.Refused == "" {
		t.Errorf("%+v, want a refusal", got)
	}
}

// testCopy is this program at a path that every user can reach.
func testCopy(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "jail.test")
	if err := copyFile(exe, "/proc/self/exe", 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(exe); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return exe
}

// printed is what printIDs says in cmd.
func printed(t *testing.T, cmd *exec.Cmd) (p probedIDs) {
	t.Helper()
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		t.Errorf("%v: %v: %s", cmd.Args, err, out)
	}
	return p
}

// ambientOf leaves a user what another user namespace asks of who makes one with
// host root in it.
func ambientOf(uid int) []uintptr {
	const setfcap = 31
	if uid == 0 {
		return nil
	}
	return []uintptr{setfcap}
}

// Outside of the host's own user namespace no number is said to be the host's.
func TestOutside(t *testing.T) {
	for users, want := range map[bool]string{true: "host uid 1000", false: "uid 1000 of jail's own user namespace"} {
		r := &run{hostUID: 1000, plan: &Plan{host: host{hostUsers: users}}}
		if got := r.outside(); got != want {
			t.Errorf("in the host's user namespace %v: %q, want %q", users, got, want)
		}
	}
}
