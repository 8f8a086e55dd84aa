package nested

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-75010da9/jail/seccomp"
	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// Root of a user namespace with one id, who is an ordinary user outside, is asked for
// nothing that only host root's boxes need.
func TestDoctorOfOneID(t *testing.T) {
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "the caller is made by root")
	}
	cmd := exec.Command("setpriv", "--reuid", strconv.Itoa(user), "--regid", strconv.Itoa(user), "--clear-groups", "unshare", "--user", "--map-root-user", jail, "doctor", "--json")
	cmd.Dir = "/"
	out, _ := cmd.Output() // its status is 1 where a user has no control group
	var r struct {
		UID    int
		Checks []struct {
			Name, Answer string
			Needed       bool
		}
	}
	if err := json.Unmarshal(out, &r); err != nil || r.UID != 0 || len(r.Checks) < 10 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range r.Checks {
		if c.Name == "granting" || c.Name == "uid_range" || c.Needed && c.Answer != "yes" && c.Name != "cgroup" {
			t.Errorf("%s is %s", c.Name, c.Answer)
		}
	}
}

// deniedName marks a child of this test's: it loads a filter that answers one
// system call with an errno, and becomes the rest of its words.
const deniedName = "denied"

func denied(number, answer string, words []string) error {
	runtime.LockOSThread() // the filter belongs to the thread that executes words
	nr, err := strconv.Atoi(number)
	errno, errErrno := strconv.Atoi(answer)
	if err := errors.Join(err, errErrno); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(nr)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	fprog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0); err != nil {
		return err
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, words, os.Environ())
}

// What a filter around jail refuses is told from all else that the same errno may
// mean, whoever the caller is.
func TestDenied(t *testing.T) {
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "the callers are made by root")
	}
	const forbids = "a system-call filter holds jail (Seccomp: 2 in /proc/self/status), and forbids "
	for _, c := range []struct {
		call  string
		errno unix.Errno
		want  []string // what the refusal says
	}{
		{"landlock_create_ruleset", unix.ENOSYS, []string{"CONFIG_SECURITY_LANDLOCK", forbids + "landlock_create_ruleset", "--optional landlock"}},
		{"landlock_create_ruleset", unix.EOPNOTSUPP, []string{"lsm=", "--optional landlock"}},
		{"landlock_create_ruleset", unix.EPERM, []string{forbids + "landlock_create_ruleset", "--optional landlock"}},
		{"landlock_restrict_self", unix.EPERM, []string{forbids + "landlock_restrict_self"}},
		{"seccomp", unix.EPERM, []string{forbids + "seccomp"}},
		{"open_tree", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"move_mount", unix.EPERM, []string{forbids + "open_tree, move_mount", "--tier 2"}},
		{"fsopen", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"fsconfig", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"fsmount", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"mount_setattr", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"mount_setattr", unix.ENOSYS, []string{"run Linux 5.14 or newer", forbids + "open_tree"}},
		{"pivot_root", unix.EPERM, []string{forbids + "open_tree", "--tier 2"}},
		{"openat2", unix.ENOSYS, []string{forbids + "openat2"}},
		{"sethostname", unix.EPERM, []string{"apparmor_parser -r /etc/apparmor.d/jail; `jail doctor --fix-hints` has it as a command where it is missing), or, for all programs, set sysctl kernel.apparmor_restrict_unprivileged_userns=0", forbids + "sethostname"}},
		{"open_tree", unix.ENOSPC, []string{"user.max_mnt_namespaces"}},
		{"move_mount", unix.ENOSPC, []string{"fs.mount-max"}},
		{"open_tree", unix.ELOOP, []string{"it changed while the box was made"}},
	} {
		for who, before := range map[string][]string{"root": nil, "user": {"setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"}} {
			t.Run(c.call+" "+unix.ErrnoName(c.errno)+" "+who, func(t *testing.T) { tellsDenied(t, c.call, c.errno, before, c.want) })
		}
	}
}

// goesOn carries out what the remedy of a refusal says that flags are to be, below the
// same filter.
func goesOn(t *testing.T, before []string, remedy string) {
	t.Helper()
	flags := suggested(remedy, []string{"--optional", "cgroup"})
	if flags == nil {
		return
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append(append(append(before[:len(before):len(before)], jail, "run", "-q"), flags...), "/bin/true")
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with %v, as the remedy says: %v: %s", flags, err, out)
	}
}

func tellsDenied(t *testing.T, call string, errno unix.Errno, before, want []string) {
	nr, ok := seccomp.Number(call)
	if !ok {
		t.Fatalf("%s is no system call", call)
	}
	args := append([]string{deniedName, strconv.Itoa(nr), strconv.Itoa(int(errno))}, before...)
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append(args, jail, "run", "--json", "--optional", "cgroup", "/bin/true")
	cmd.Dir = "/"
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	var r struct {
		Reason  string
		Hint    string
		Refusal *struct{ Errno string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("no record: %v: %q %q", err, out, stderr.String())
	}
	if r.Reason != "setup_refused" || r.Refusal == nil {
		t.Fatalf("%s: %s, want a refusal", r.Reason, out)
	}
	if name := unix.ErrnoName(errno); r.Refusal.Errno != name {
		t.Errorf("%s, want the kernel's own %s", r.Refusal.Errno, name)
	}
	for _, w := range want {
		if !strings.Contains(r.Hint, w) {
			t.Errorf("%s, want %q in it", r.Hint, w)
		}
	}
	goesOn(t, args, r.Hint)
	if call != "sethostname" && strings.Contains(r.Hint, "apparmor") { // which is told by the first call alone
		t.Errorf("%s: %s, which AppArmor has no part in", call, r.Hint)
	}
}
