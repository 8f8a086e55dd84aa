package jail

import (
	"strings"
	"testing"
)

// What a box is without is told by the program's own words.
func TestAloneHint(t *testing.T) {
	eperm := []Denial{{Layer: LayerSeccomp, What: "ptrace(…)", Errno: "EPERM"}}
	for _, c := range []struct {
		said    string
		net     Net
		denials []Denial
		want    string
	}{
		{"Error: connect ECONNREFUSED 127.0.0.1:5432", NetLoopback, nil, "127.0.0.1 is the box's own"},
		{"curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", NetLoopback, nil, "127.0.0.1 is the box's own"},
		{"ConnectionRefusedError: [Errno 111] Connection refused", NetLoopback, nil, "127.0.0.1 is the box's own"},
		{"ConnectionRefusedError: [Errno 111] Connection refused", NetNone, nil, ""},
		{"sudo: The \"no new privileges\" flag is set", NetNone, nil, "a box gives nobody privileges"},
		{"sudo: effective uid is not 0, is /usr/bin/sudo on a file system", NetNone, nil, "a box gives nobody privileges"},
		{"PermissionError: [Errno 1] Operation not permitted", NetNone, nil, "its stderr tells of what the kernel"},
		{"PermissionError: [Errno 1] Operation not permitted", NetNone, eperm, ""},
		{"/bin/sh: 1: frobnicate: not found\nError: Command failed", NetNone, nil, `the program found no "frobnicate" in PATH`},
		{"bash: line 1: frobnicate: command not found", NetNone, nil, `the program found no "frobnicate" in PATH`},
		{"make: frobnicate: No such file or directory\nmake: *** [Makefile:2: all] Error 127", NetNone, nil, `the program found no "frobnicate" in PATH`},
		{"make: nofile: No such file or directory\nmake: *** No rule to make target 'nofile'.  Stop.", NetNone, nil, ""},
		{"xargs: frobnicate: No such file or directory", NetNone, nil, `the program found no "frobnicate" in PATH`},
		{"timeout: failed to run command ‘frobnicate’: No such file or directory", NetNone, nil, `the program found no "frobnicate" in PATH`},
		{"cat: frobnicate: No such file or directory", NetNone, nil, ""},
		{"npm error: frobnicate: not found", NetNone, nil, ""},
		{"", NetLoopback, nil, ""},
	} {
		r := &run{spec: Spec{Net: c.net, Args: []string{"x"}}}
		r.result.Reason, r.result.Denials = ReasonExecutionFailed, c.denials
		if got := r.aloneHint(c.said); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, net %s: %q, want %q", c.said, c.net, got, c.want)
		}
	}
	r := &run{}
	r.result.Reason = ReasonOK
	if got := r.aloneHint("Connection refused, Operation not permitted"); got != "" {
		t.Errorf("of a program that ended well: %q", got)
	}
}

// Who was to become another user, or to give files to one, is told that a box has one.
func TestIDsHint(t *testing.T) {
	for _, c := range []struct {
		said string
		args []string
		want bool
	}{
		{"/usr/bin/tar: a/f: Cannot change ownership to uid 33, gid 33: Invalid argument", nil, true},
		{"/usr/bin/chown: changing ownership of 'a.tar': Invalid argument", nil, true},
		{"/usr/bin/install: invalid user ‘www-data’", nil, true},
		{"error: failed switching to \"nobody\": operation not permitted", []string{"gosu"}, true},
		{"su: Critical error - immediate abort", nil, true},
		{"nginx: [emerg] getpwnam(\"www\") failed", nil, true},
		{"E: setegid 65534 failed - setegid (22: Invalid argument)", nil, true},
		{"  File \"<string>\", line 1, in <module>\nOSError: [Errno 22] Invalid argument", []string{"-c", "import os; os.setuid(33)"}, true},
		{"Error: setuid EINVAL", nil, true},
		{"OSError: [Errno 22] Invalid argument", []string{"-c", "f.seek(-1)"}, false},
		{"dd: 'x': cannot seek: Invalid argument", nil, false},
		{"summary: 3 of them", nil, false},
		{"the chown was left out", []string{"chown"}, false},
	} {
		r := &run{spec: Spec{Args: append([]string{"x"}, c.args...)}}
		r.result.Reason = ReasonExecutionFailed
		if got := strings.HasPrefix(r.aloneHint(c.said), "a box has one user and one group"); got != c.want {
			t.Errorf("%q of %q: told %v, want %v", c.said, c.args, got, c.want)
		}
	}
}

// A socket that was tried is not what a program failed of that names something else, nor
// is one that asks which interfaces there are.
func TestSocketsAreNotAccusedFirst(t *testing.T) {
	inet := Denial{Layer: LayerSeccomp, What: "socket(AF_INET, SOCK_STREAM)", Errno: "EAFNOSUPPORT", Grant: "--net loopback", Count: 1}
	asks := Denial{Layer: LayerSeccomp, What: "socket(AF_NETLINK, SOCK_RAW)", Errno: "EAFNOSUPPORT", Grant: "--net loopback", Count: 2}
	file := Denial{Layer: LayerRoot, What: `reading "/srv/d.csv"`, Errno: "ENOENT", Grant: "--ro /srv/d.csv", Source: sourceTrace, Count: 1}
	for _, c := range []struct {
		name, said string
		denials    []Denial
		likely     int // -1: none
		words      string
	}{
		{"the file is named", "No such file or directory: '/srv/d.csv'", []Denial{inet, file}, 1, `refused reading "/srv/d.csv"`},
		{"a host is named as well", "getaddrinfo ENOTFOUND; '/srv/d.csv'", []Denial{inet, file}, 0, "refused the network"},
		{"the family is named", "OSError: Address family not supported by protocol; '/srv/d.csv'", []Denial{inet, file}, 0, "refused the network"},
		{"nothing is named", "it failed", []Denial{inet, file}, 0, "refused the network"},
		{"a file is named that nobody looked at", "FileNotFoundError: [Errno 2] No such file or directory: '/srv/d.csv'", []Denial{inet}, -1, ""},
		{"a module is", "ModuleNotFoundError: No module named 'x'", []Denial{inet}, -1, ""},
		{"a file, and a connection", "No such file or directory: '/srv/ca.pem'\nConnectionError: 3", []Denial{inet}, 0, "refused the network"},
		{"what may come of no answer", "TypeError: Cannot read properties of undefined", []Denial{inet}, 0, "refused the network"},
		{"something else is", "SyntaxError: Unexpected end of JSON input", []Denial{asks}, -1, ""},
		{"nothing is said", "", []Denial{asks}, 0, "refused the network"},
		{"a host is", "getaddrinfo EAI_AGAIN example.org", []Denial{asks}, 0, "refused the network"},
	} {
		code := 1
		res := Result{Reason: ReasonExecutionFailed, ExitCode: &code, Message: "it ended", Denials: c.denials, Observed: &Observation{Sources: []string{sourceTrace}}}
		for i := range res.Denials {
			res.Denials[i].Likely = false
		}
		res.accuse("/bin/x", "", c.said)
		for i, d := range res.Denials {
			if d.Likely != (i == c.likely) {
				t.Errorf("%s: %s is likely: %v", c.name, d.What, d.Likely)
			}
		}
		if !strings.Contains(res.Message, c.words) || c.words == "" && res.Message != "it ended" {
			t.Errorf("%s: message %q, want %q", c.name, res.Message, c.words)
		}
	}
}
