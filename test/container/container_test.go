package container

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/shipped"
)

var scripts = map[string]string{
	"s.sh": "echo shell $(expr 6 \\* 7); env | grep SECRET; cat /etc/shadow",
	"s.js": `const { execFileSync } = require("child_process");
require("fs").writeFileSync("made", "it");
console.log("node", 6 * 7, require("fs").readFileSync("made", "utf8"), execFileSync("/bin/echo", ["child"]).toString().trim(), process.env.SECRET);`,
	"s.py": `import os, subprocess, threading, tempfile
with tempfile.NamedTemporaryFile() as f: f.write(b"x")
t = threading.Thread(target=lambda: print("python", 6 * 7, subprocess.run(["/bin/echo", "child"], capture_output=True, text=True).stdout.strip(), os.environ.get("SECRET")))
t.start(); t.join()`,
}

// The container is what it is said to be, for root in it, too.
func TestContainer(t *testing.T) {
	for _, who := range members {
		e := in(t, who, "/bin/sh", "-c", `
unshare -U true; unshare -m true; mount -t tmpfs x /mnt; mkdir /sys/fs/cgroup/x; echo 1 >/proc/sys/vm/drop_caches
grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; cat /proc/kcore /proc/keys /proc/timer_list 2>/dev/null | wc -c; ls /sys/firmware | wc -l; cat /proc/1/comm`)
		caps := "00000000a80425fb"
		if who.uid != "0" {
			caps = "0000000000000000"
		}
		if !strings.Contains(e.stdout, "CapEff:\t"+caps) || !strings.Contains(e.stdout, "NoNewPrivs:\t0\nSeccomp:\t2\n") || !strings.HasSuffix(e.stdout, "\n0\n0\nsh\n") {
			t.Errorf("%s: %s", who.name, e.stdout)
		}
		for _, refusal := range []string{"unshare: unshare failed: Operation not permitted\nunshare: unshare failed: Operation not permitted\nmount: ", "/sys/fs/cgroup/x': ", "/proc/sys/vm/drop_caches: "} {
			if !strings.Contains(e.stderr, refusal) {
				t.Errorf("%s: want %q in %s", who.name, refusal, e.stderr)
			}
		}
	}
}

// A box of tier 1 is refused, and the refusal says what else there is.
func TestTier1IsRefused(t *testing.T) {
	for _, who := range members {
		e := in(t, who, filepath.Join(site, "jail"), "run", "/bin/true")
		if e.status != 125 || !strings.Contains(e.stderr, "setup_refused") || !strings.Contains(e.stderr, "--tier 2") {
			t.Errorf("%s: %+v", who.name, e)
		}
		r := record(t, who, "/bin/true")
		if r.Reason != jail.ReasonSetupRefused || r.Tier != 1 || !strings.Contains(r.Refusal.Remedy, "--tier 2") {
			t.Errorf("%s: %s: %+v", who.name, r.Reason, r.Refusal)
		}
		r = record(t, who, "--optional", "cgroup", "/bin/true")
		if r.Reason != jail.ReasonSetupRefused || r.Refusal.Layer != jail.LayerNamespaces || r.Refusal.Errno != "EPERM" || !strings.Contains(r.Refusal.Remedy, "--tier 2") {
			t.Errorf("%s: %s: %+v", who.name, r.Reason, r.Refusal)
		}
		t.Logf("%s: %s (%s)", who.name, r.Message, r.Hint)
	}
}

// doctor tells of the one box that there is.
func TestDoctor(t *testing.T) {
	for _, who := range members {
		e := in(t, who, filepath.Join(site, "jail"), "doctor")
		if e.status != 1 || !strings.Contains(e.stdout, "A box with all defaults does NOT run here") || !strings.Contains(e.stdout, "\n> jail run --tier 2 …\n") {
			t.Errorf("%s: %+v", who.name, e)
		}
	}
}

// Every profile runs, for root and for an ordinary user.
func TestProfiles(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"sh s.sh", "shell 42\n"},
		{"node s.js", "node 42 it child undefined\n"},
		{"python s.py", "python 42 child None\n"},
		{"exec /bin/echo exec", "exec\n"},
	} {
		words := strings.Fields(c.program)
		if interpreter := map[string]string{"node": "/usr/bin/node", "python": "/usr/bin/python3"}[words[0]]; interpreter != "" {
			if _, err := os.Stat(interpreter); err != nil {
				shipped.LeaveOut(t, err.Error())
			}
		}
		if words[0] != "exec" {
			words[1] = filepath.Join(site, words[1])
		}
		for _, who := range members {
			t.Run(words[0]+" as "+who.name, func(t *testing.T) {
				r := record(t, who, append([]string{"--tier", "2", "--profile", words[0]}, words[1:]...)...)
				if r.Stdout.Text != c.want || r.Tier != 2 || !r.TreeEmpty {
					t.Errorf("%s: %s; stdout %q, want %q; stderr %q", r.Reason, r.Message, r.Stdout.Text, c.want, r.Stderr.Text)
				}
			})
		}
	}
}

// What is missing is listed, what is there has its evidence, and root is nobody.
func TestReceipt(t *testing.T) {
	for _, who := range members {
		r := record(t, who, "--tier", "2", "--profile", "sh", filepath.Join(site, "s.sh"))
		for _, l := range r.Layers {
			missing := l.Name == jail.LayerNamespaces || l.Name == jail.LayerRoot || l.Name == jail.LayerCgroup
			if l.Applied == missing || l.Asked == missing || missing && !strings.Contains(l.Note, "tier 2") || !missing && l.Evidence == "" {
				t.Errorf("%s: %+v", who.name, l)
			}
			if l.Name == jail.LayerRoot && strings.Contains(l.Evidence, " uid 0 ") {
				t.Errorf("%s: %s", who.name, l.Evidence)
			}
			t.Logf("%s: %s: %v %s", who.name, l.Name, l.Applied, l.Mechanism)
		}
		if r.Limits.MemoryBytes != nil || r.Limits.CPUs != nil {
			t.Errorf("%s: limits that nothing enforces: %+v", who.name, r.Limits)
		}
	}
}

// Deadline, output cap and the kill of a whole tree, where jail is the first
// process of the container, and where it is not.
func TestEnds(t *testing.T) {
	const daemons = `for i in 1 2 3; do setsid sh -c "trap '' TERM HUP; sleep 4242" & done; sleep 0.2; `
	for _, who := range members {
		for _, c := range []struct {
			script, timeout string
			want            jail.Reason
		}{
			{daemons + "sleep 600", "3s", jail.ReasonTimeout},
			{daemons + "yes", "60s", jail.ReasonOutputTooLarge},
			{daemons + "exit 0", "60s", jail.ReasonOK},
		} {
			r := record(t, who, "--tier", "2", "--timeout", c.timeout, "--output", "10K", "--profile", "sh", "--", "-c", c.script)
			if r.Reason != c.want || !r.TreeEmpty {
				t.Errorf("%s: %s: %s, want %s; tree empty %v", who.name, c.script, r.Reason, c.want, r.TreeEmpty)
			}
			e := in(t, who, "/bin/sh", "-c", site+`/jail run -q --tier 2 --timeout `+c.timeout+` --output 10K --profile sh -- -c '`+strings.ReplaceAll(c.script, "'", `'\''`)+`' >/dev/null 2>&1
echo $?; grep -la -e '^sleep.4242' -e '^sh.-c.trap' /proc/[0-9]*/cmdline | wc -l`)
			if !strings.HasSuffix(e.stdout, "\n0\n") {
				t.Errorf("%s: %s: %+v", who.name, c.script, e)
			}
		}
	}
}

// A supervisor that is killed takes everything with it.
func TestSupervisorKilled(t *testing.T) {
	for _, who := range members {
		e := in(t, who, "/bin/sh", "-c", site+`/jail run -q --tier 2 --profile sh -- -c 'setsid sleep 4242 & sleep 4242 & wait' &
pid=$!
count() { grep -la '^sleep.4242' /proc/[0-9]*/cmdline 2>/dev/null | wc -l; }
for i in $(seq 1000); do [ $(count) = 2 ] && break; sleep 0.05; done; count
kill -9 $pid
for i in $(seq 1000); do [ $(count) = 0 ] && break; sleep 0.05; done; count`)
		if e.stdout != "2\n0\n" {
			t.Errorf("%s: %+v", who.name, e)
		}
	}
}

// Root without the capabilities that its box needs is told which.
func TestRootWithoutCapabilities(t *testing.T) {
	r := record(t, member{"root", "0", "none", ""}, "--tier", "2", "/bin/true")
	if r.Reason != jail.ReasonSetupRefused || r.Refusal == nil || !strings.Contains(r.Refusal.Remedy, "CAP_SETUID") {
		t.Errorf("%s: %s: %+v", r.Reason, r.Message, r.Refusal)
	}
}
