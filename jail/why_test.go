package jail

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// whyOf asks and returns the tries by their access, or by their call where several
// have the same.
func whyOf(t *testing.T, s Spec, question string) (Answer, map[string]Tried) {
	t.Helper()
	a, err := Why(t.Context(), s, question)
	if err != nil {
		t.Fatalf("Why(%s): %v", question, err)
	}
	tries := map[string]Tried{}
	for _, x := range a.Tried {
		tries[x.Access], tries[x.Call] = x, x
	}
	return a, tries
}

// What is answered about a path is what a program in the same box gets.
func TestWhyOfPaths(t *testing.T) {
	dir := tracedTree(t)
	s := shell("true")
	work := t.TempDir()
	if err := os.WriteFile(work+"/tool", []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	os.Chmod(work+"/tool", 0o777)
	s.View = append(s.View, ro(dir+"/granted", dir+"/granted"), rw(work, "/work"), ro(dir+"/tool", dir+"/tool"))
	root := LayerRoot
	for _, c := range []struct {
		path, access string
		allowed      bool
		errno        string
		layer        LayerName
		grant, never string
	}{
		{"DIR/granted/in.txt", accessRead, true, "", "", "", ""},
		{"DIR/granted/in.txt", accessWrite, false, "EROFS", root, "--rw DIR/granted in place of --ro DIR/granted", ""},
		{"DIR/granted", accessMakeIn, false, "EROFS", root, "--rw DIR/granted in place of --ro DIR/granted", ""},
		{"DIR/granted/hidden.txt", accessRead, false, "EACCES", root, "", "its mode"},
		{"DIR/data.txt", accessRead, false, "ENOENT", root, "--ro DIR/data.txt", ""},
		{"DIR/data.txt", accessWrite, false, "ENOENT", root, "--rw DIR/data.txt", ""},
		{"DIR/nothing", accessRead, false, "ENOENT", "", "", ""},
		{"DIR/tool", accessExecute, true, "", "", "", ""},
		{"DIR/granted/in.txt", accessExecute, false, "EACCES", root, "", "its mode"},
		{"/work", accessMakeIn, true, "", "", "", ""},
		{"/work/new", accessMake, true, "", "", "", ""},
		{"/usr/bin/env", accessExecute, true, "", "", "", ""},
		{"/usr/new", accessMake, false, "EROFS", root, "", "it is a part of the operating system"},
		{"/dev/null", accessWrite, true, "", "", "", ""},
		{"/dev/kvm", accessRead, false, "ENOENT", "", "", ""},
		{"/proc/meminfo", accessRead, false, "ENOENT", root, "", "nothing below /proc"},
		{"/proc/1/mem", accessRead, false, "ENOENT", root, "", "nothing below /proc"},
		{"/proc/self/oom_score_adj", accessWrite, false, "EROFS", root, "", "nothing below /proc"},
		{"/proc/self/environ", accessRead, true, "", "", "", ""},
		{"/proc/self/environ", accessWrite, false, "EACCES", root, "", "nothing below /proc"},
		{"/proc/self/mem", accessRead, true, "", "", "", ""},
		{"/proc/self/mem", accessWrite, false, "EROFS", root, "", "nothing below /proc"},
		{"/work/tool", accessWrite, true, "", "", "", ""},
		{"/work/tool", accessExecute, true, "", "", "", ""}, // though it was opened to be written
		{"/dev/tty", accessRead, false, "ENOENT", root, "--tty", ""},
		{"/etc/shadow", accessRead, false, "ENOENT", root, "", withheld.NotHinted + "it is where secrets"},
	} {
		at := strings.NewReplacer("DIR", dir)
		if _, err := os.Stat("/dev/kvm"); err == nil && c.path == "/dev/kvm" {
			c.layer, c.never = root, "nothing below /dev"
		}
		a, tries := whyOf(t, s, at.Replace(c.path))
		got, ok := tries[c.access]
		if c.access == accessExecute && !ok { // before Linux 6.14
			got, ok = tries[accessMode]
		}
		if !ok || a.Kind != "path" || got.Allowed != c.allowed || got.Errno != c.errno || got.Layer != c.layer || got.Grant != at.Replace(c.grant) ||
			!strings.HasPrefix(got.Never, c.never) || (got.Never == "") != (c.never == "") {
			t.Errorf("%s, %s: %+v, want %+v", c.path, c.access, got, c)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "granted")); len(left) != 3 {
		t.Errorf("the tries left something behind: %v", left)
	}
}

func TestWhyOfCalls(t *testing.T) {
	s := shell("true")
	s.Net, s.Seccomp.Deny = NetLoopback, []string{"getpriority"}
	for _, c := range []struct {
		question, call string
		allowed        bool
		errno          string
		layer          LayerName
		grant, never   string
	}{
		{"getpid", "getpid(0, 0, 0, 0, 0, 0)", true, "", "", "", ""},
		{"getpriority", "getpriority(0, 0, 0, 0, 0, 0)", false, "EPERM", LayerSeccomp, "without --deny-syscall getpriority", ""},
		{"ptrace", "ptrace(PTRACE_ATTACH, -1)", false, "EPERM", LayerSeccomp, "--allow-syscall ptrace", ""},
		{"flock", "flock(0, 0, 0, 0, 0, 0)", false, "ENOSYS", LayerSeccomp, "--allow-syscall flock", ""},
		{"mount", "mount(0, 0, 0, 0, 0, 0)", false, "EPERM", LayerSeccomp, "", "mounts and roots"},
		{"clone", "clone(…)", true, "", "", "", ""},
		{"pause", "pause(…)", true, "", "", "", ""},
		{"socketpair", "socketpair(AF_UNIX, SOCK_STREAM, 0, NULL)", true, "EFAULT", "", "", ""},
		{"socketpair", "socketpair(AF_UNIX, SOCK_DGRAM, 0, NULL)", false, "EPERM", LayerSeccomp, "--unix", ""},
		{"ioprio_set", "ioprio_set(IOPRIO_WHO_PROCESS, 0, 0)", true, "", "", "", ""},
		{"setsid", "setsid(0, 0, 0, 0, 0, 0)", true, "EPERM", "", "", ""},
		{"setpgid", "setpgid(0, 0, 0, 0, 0, 0)", true, "EPERM", "", "", ""},
		{"connect", "connect(0, 0, 0, 0, 0, 0)", true, "ENOTSOCK", "", "", ""},
		{"pselect6", "pselect6(-1, …)", true, "EINVAL", "", "", ""},
		{"unshare", "unshare(CLONE_NEWUSER)", false, "EPERM", LayerSeccomp, "", "namespaces"},
		{"socket", "socket(AF_INET, SOCK_STREAM)", true, "", "", "", ""},
		{"socket", "socket(AF_VSOCK, SOCK_STREAM)", false, "EAFNOSUPPORT", LayerSeccomp, "", "no socket of any family"},
		{"203.0.113.1:80", "connect(203.0.113.1:80)", false, "ENETUNREACH", LayerNamespaces, "", noWayOut},
		{"[2001:db8::1]:80", "connect([2001:db8::1]:80)", false, "ENETUNREACH", LayerNamespaces, "", noWayOut},
	} {
		if _, err := os.Stat("/proc/net/if_inet6"); err != nil && strings.HasPrefix(c.question, "[") {
			continue // this kernel has no IPv6
		}
		_, tries := whyOf(t, s, c.question)
		got, ok := tries[c.call]
		if !ok || got.Allowed != c.allowed || got.Errno != c.errno || got.Layer != c.layer || got.Grant != c.grant || !strings.HasPrefix(strings.TrimPrefix(got.Never, letThrough), c.never) || (got.Never == "") != (c.never == "") {
			t.Errorf("%s, %s: %+v, want %+v", c.question, c.call, got, c)
		}
	}
	if _, tries := whyOf(t, s, "127.0.0.1:9"); !tries["connect it"].Allowed {
		t.Errorf("%+v: want that the box's own loopback can be reached", tries["connect it"])
	}
	s.Net = NetNone
	if _, tries := whyOf(t, s, "203.0.113.1:80"); tries["have a socket"].Allowed || tries["have a socket"].Grant != "" || tries["have a socket"].Never != noWayOut {
		t.Errorf("%+v: want that no flag leads there", tries["have a socket"])
	}
}

// Nobody at the other end of a named pipe, a socket or a device notices the asking.
func TestWhyIsNotFelt(t *testing.T) {
	dir := tracedTree(t)
	fifo, socket := dir+"/granted/fifo", dir+"/granted/socket"
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(fifo, 0o666)
	os.Chmod(dir+"/granted", 0o777)
	reader, err := unix.Open(fifo, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(reader)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	os.Chmod(socket, 0o666)
	accepted := make(chan struct{})
	go func() { // until l is closed
		defer close(accepted)
		if c, err := l.Accept(); err == nil {
			c.Close()
			t.Error("the host's socket was connected to")
		}
	}()
	boxes := []Spec{shell("true")}
	if landlockABI() > 0 {
		boxes = append(boxes, tier2(t, "true"))
	}
	for _, s := range boxes {
		s.Unix = s.Tier != Tier2
		s.View = append(s.View, rw(dir+"/granted", dir+"/granted"))
		_, tries := whyOf(t, s, fifo)
		if got := tries[accessWrite]; !got.Allowed || !strings.Contains(got.Why, "was not opened") {
			t.Errorf("tier %d: %+v of a named pipe, want that it may be written", s.Tier, got)
		}
		var polled [1]unix.PollFd
		polled[0] = unix.PollFd{Fd: int32(reader), Events: unix.POLLIN}
		if n, err := unix.Poll(polled[:], 0); n != 0 || err != nil { // POLLHUP: somebody had it open for writing
			t.Errorf("tier %d: the reader of the named pipe noticed: %#x, %v", s.Tier, polled[0].Revents, err)
		}
		if !s.Unix {
			continue // it can't be asked for
		}
		if _, tries = whyOf(t, s, "unix:"+socket); tries["connect it"].Errno != "EPROTOTYPE" && tries["connect it"].Layer != LayerLandlock {
			t.Errorf("tier %d: %+v of a socket of the host's", s.Tier, tries["connect it"])
		}
	}
	l.Close()
	<-accepted
}

// Every system call that a box is allowed can be asked about, and comes to an end.
func TestWhyOfEveryCall(t *testing.T) {
	policy, err := seccomp.Builtin("default")
	if err != nil {
		t.Fatal(err)
	}
	all := &question{}
	for nr := range 470 {
		name := seccomp.Name(nr)
		if action, ok := policy.Action(int32(nr), seccomp.Arch(), [6]uint64{}); name == "" || !ok || action != unix.SECCOMP_RET_ALLOW && len(callKinds()[name]) == 0 {
			continue
		}
		q, _, err := withNumbers(callQuestion(name), "syscall")
		if err != nil {
			t.Fatal(err)
		}
		all.tries = append(all.tries, q.tries...)
	}
	s := shell("true")
	s.Limits.Timeout = patience(2 * time.Minute)
	if _, err := try1(ablation.Without(t.Context(), ablation.Watch), s, all); err != nil || len(all.tries) < 200 {
		t.Errorf("%d tries: %v", len(all.tries), err)
	}
}

func TestWhyRefuses(t *testing.T) {
	for _, q := range []string{"", "nothing", "unix:relative", "unix:@", "unix:@" + strings.Repeat("x", 108), "unix:/" + strings.Repeat("x", 120), "example.org:80", "/a\x00b", "1.2.3.4", "/" + strings.Repeat("x", 5000)} {
		var faults Faults
		if _, err := Why(t.Context(), shell("true"), q); !errors.As(err, &faults) || faults[0].Field != "why" {
			t.Errorf("Why(%q): %v, want a fault", q, err)
		}
	}
	s := shell("true")
	s.Dir = "/absent"
	var setup *SetupError
	if _, err := Why(t.Context(), s, "getpid"); !errors.As(err, &setup) || setup.Operand != "/absent" {
		t.Errorf("Why: %v, want the working folder refused", err)
	}
}
