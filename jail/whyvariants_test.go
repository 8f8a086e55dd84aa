package jail

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail/internal/spell"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// Of a call whose arguments the policy checks no rule that refuses some is left out.
func TestWhyAsksOfEveryRule(t *testing.T) {
	policy, err := seccomp.Builtin(seccomp.Default)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for nr := range 470 {
		name := seccomp.Name(nr)
		if name == "" || len(seccomp.Refusals(name, nil)) == 0 {
			continue
		}
		checked++
		var asked [][6]uint64
		for _, k := range callKinds()[name] {
			asked = append(asked, k.args)
		}
		texts := map[string]bool{}
		for _, v := range callQuestion(name).tries {
			if texts[v.call] {
				t.Errorf("%s is asked twice", v.call)
			}
			texts[v.call] = true
			if !v.variant {
				continue
			}
			asked = append(asked, v.values)
			if action, ok := policy.Action(int32(nr), seccomp.Arch(), v.values); !ok || action == unix.SECCOMP_RET_ALLOW {
				t.Errorf("%s is allowed", v.call)
			}
		}
		for _, left := range seccomp.Refusals(name, asked) {
			if text := spell.Call(name, int32(nr), left, nil); !texts[text] { // two that read the same are asked once
				t.Errorf("%s is refused, and not asked", text)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d calls whose arguments are checked, want all", checked)
	}
}

// What is refused of a call that is allowed otherwise is answered, unless the box was given
// it whatever its arguments; what is the same of several is told once.
func TestWhyTellsOfArguments(t *testing.T) {
	s := shell("true")
	s.Seccomp.Allow = []string{"personality"}
	for question, call := range map[string]string{"clone": "clone(CLONE_NEWUSER, …)", "chmod": "chmod(NULL, 04000)", "openat": "openat(fd, NULL, O_CREAT, 04000)", "mknod": "mknod(NULL, S_IFCHR|00, …)",
		"memfd_create": "memfd_create(NULL, MFD_HUGETLB)", "sched_setscheduler": "sched_setscheduler(0, SCHED_FIFO, …)", "shmget": "", "personality": ""} {
		if _, ok := seccomp.Number(question); !ok {
			continue
		}
		a, tries := whyOf(t, s, question)
		got, ok := tries[call]
		if call != "" && (!ok || got.Allowed || got.Layer != LayerSeccomp || got.Errno != "EPERM" || !strings.HasPrefix(got.Never, letThrough)) {
			t.Errorf("%s: %+v, want that %s is refused", question, a.Tried, call)
		}
		refused := false
		for _, x := range a.Tried {
			refused = refused || !x.Allowed
		}
		if refused != (question != "personality") {
			t.Errorf("%s: %+v: refused %v", question, a.Tried, refused)
		}
		if text := a.Text(); strings.Count(text, "the filter answers before") > 1 {
			t.Errorf("what is the same is told more than once:\n%s", text)
		}
	}
}

// An address is no errno, of which the lower half looks like a negative number.
func TestAnsweredIsNoErrno(t *testing.T) {
	for low, want := range map[uint32]int32{0: 0, 7: 7, 0x7fffffff: 0x7fffffff, 0xfffff000: 0, 0x80001000: 0, 0xfffff001: -4095, ^uint32(0): -1} {
		if got := answered(low); got != want {
			t.Errorf("answered(%#x) = %d, want %d", low, got, want)
		}
	}
	for range 8 { // half of them have an address that looks like one
		if _, tries := whyOf(t, shell("true"), "mmap"); !strings.HasSuffix(tries["mmap(NULL, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS, -1)"].Why, "and the kernel did it") {
			t.Errorf("%+v, want that it was done", tries)
		}
	}
}

// By 0.0.0.0 and :: a program means its own host, which a box may have.
func TestWhyOfUnspecifiedAddresses(t *testing.T) {
	s := shell("true")
	for _, question := range []string{"0.0.0.0:80", "[::]:80", "[::ffff:7f00:1]:80", "127.0.0.2:80"} {
		s.Net = NetNone
		if _, tries := whyOf(t, s, question); tries["have a socket"].Grant != "--net loopback" {
			t.Errorf("%s: %+v, want --net loopback", question, tries["have a socket"])
		}
		s.Net = NetLoopback
		if _, tries := whyOf(t, s, question); tries["connect it"].Never != "" {
			t.Errorf("%s: %+v, want that it can be reached", question, tries["connect it"])
		}
	}
	if unspecified([]byte{0, 0, 0, 1}) || loopback([]byte{0, 0, 0, 0}) {
		t.Error("0.0.0.1 is unspecified, or 0.0.0.0 a loopback address")
	}
}

// A kernel that can't be asked whether a file could be executed (before Linux 6.14) is
// told of by its mode, and not as one that refuses it.
func TestWhyExecuteByMode(t *testing.T) {
	for _, c := range []struct {
		result        int32
		execute, mode bool // is left out
	}{{-int32(unix.EINVAL), true, false}, {-int32(unix.EACCES), false, true}, {0, false, true}} {
		q := pathQuestion("/file")
		for _, try := range q.tries {
			if try.access == accessExecute {
				try.result = c.result
			}
		}
		for _, try := range q.tries {
			want := map[string]bool{accessExecute: c.execute, accessMode: c.mode}
			if want, ok := want[try.access]; ok && beside(q, try, true, false) != want {
				t.Errorf("answered %d, %s: left out %v, want %v", c.result, try.access, !want, want)
			}
		}
	}
}
