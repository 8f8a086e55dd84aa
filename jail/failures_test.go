package jail

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A failure is a program that people run in boxes, what it fails of there, and what
// the record makes of it.
type failure struct {
	name string
	// needs are the host's programs that it takes.
	needs  []string
	group  bool // a control group
	reason Reason
	spec   func(t *testing.T) Spec
	// stderr is what the program itself says, a pattern: that it failed of this.
	stderr string
	// message and hint are the record's, with WORK for the test's folder and n for
	// numbers of times.
	message, hint string
}

const noNetworkHint = noNetwork + "; for a server and its clients in one box, --net loopback gives it a 127.0.0.1 of its own"

const notInPath = `by 127 a shell says that it found no "convert" in PATH, /usr/bin:/bin: name it by its path, and grant it with --ro if it is not in the box; or grant its folder, and name that in --env PATH=…`

func setApart(flag string) string {
	return "not hinted, though a flag grants it: " + flag + " is your own, and keeps that out of --rw WORK"
}

// command is a Spec that runs a program of the system's.
func command(args ...string) func(*testing.T) Spec {
	return func(*testing.T) Spec {
		s := shell("")
		s.Env = append(s.Env, "HOME=/tmp") // or libc is asked for it
		s.Args, s.Limits.Timeout = args, patience(time.Minute)
		return s
	}
}

// failures are those that the first users of such boxes ask about.
func failures() []failure {
	const outside = "open('../report.csv', 'w')"
	const granted = `"WORK/data.txt" is granted by itself: nothing is made beside it, and it can't be replaced, moved or removed; `
	return []failure{
		{name: "node that fetches", needs: []string{"/usr/bin/node"}, reason: ReasonExecutionFailed, stderr: `fetch failed`,
			spec:    command("/usr/bin/node", "-e", "fetch('http://127.0.0.1:8080/').then(r => r.text())"),
			message: "the program ended with exit code 1, and it was refused the network: socket(AF_INET, SOCK_STREAM|SOCK_NONBLOCK) (EAFNOSUPPORT)", hint: noNetworkHint},
		{name: "node that asks for its interfaces", needs: []string{"/usr/bin/node"}, reason: ReasonExecutionFailed, stderr: `uv_interface_addresses`,
			spec:    command("/usr/bin/node", "-e", "require('os').networkInterfaces()"),
			message: "the program ended with exit code 1, and it was refused the network: socket(AF_NETLINK, SOCK_RAW) (EAFNOSUPPORT)", hint: noNetworkHint},
		{name: "pip install", needs: []string{"/usr/bin/python3", "/usr/lib/python3/dist-packages/pip"}, reason: ReasonExecutionFailed, stderr: `No matching distribution found for six`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/python3", "-m", "pip", "install", "--no-cache-dir", "--retries", "0", "--target", "/tmp/out", "six")(t)
				s.View = append(s.View, Mount{Kind: MountSystem, Source: "/etc/ssl", Target: "/etc/ssl"})
				return s
			},
			message: "the program ended with exit code 1, and it was refused the network: socket(AF_INET, SOCK_DGRAM|SOCK_NONBLOCK) (EAFNOSUPPORT)", hint: noNetworkHint},
		{name: "python that writes outside of its folder", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `Read-only file system: '\.\./report\.csv'`,
			spec:    inFolder(false, "/usr/bin/python3", "-c", outside),
			message: "the program ended with exit code 1",
			hint:    "its stderr tells of a file (Read-only file system: \"../report.csv\"): a box writes to its /tmp and to what --rw or --workspace shows; with --trace the record names what of files it was refused, and what allows that"},
		{name: "a python script, granted by itself, that writes elsewhere", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `File ".*/data\.txt", line 1`,
			spec:    withScript("open('/usr/x', 'w')", "/usr/bin/python3"),
			message: "the program ended with exit code 1",
			hint:    "its stderr tells of a file (Read-only file system: \"/usr/x\"): a box writes to its /tmp and to what --rw or --workspace shows; with --trace the record names what of files it was refused, and what allows that"},
		{name: "python that writes outside of its folder, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `Read-only file system: '\.\./report\.csv'`,
			spec:    inFolder(true, "/usr/bin/python3", "-c", outside),
			message: `the program ended with exit code 1, and it was refused making "WORK/report.csv" (EROFS)`, hint: "--rw WORK allows it"},
		{name: "python that writes to what is not there", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: '/srv/nowhere/report\.csv'`,
			spec:    command("/usr/bin/python3", "-c", "open('/srv/nowhere/report.csv', 'w')"),
			message: "the program ended with exit code 1",
			hint:    "its stderr tells of a file (No such file or directory: \"/srv/nowhere/report.csv\"): " + notShown + "; with --trace the record names what of files it was refused, and what allows that"},
		{name: "python that misses a package", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `ModuleNotFoundError`,
			spec:    command("/usr/bin/python3", "-c", "import no_such_package"),
			message: "the program ended with exit code 1",
			hint:    "its stderr tells of a module (ModuleNotFoundError: \"no_such_package\"): " + noPackage + "; with --trace the record names what of files it was refused, and what allows that"},
		{name: "a shell that writes to what is not there", reason: ReasonExecutionFailed, stderr: `Directory nonexistent`, spec: line("echo x >/srv/nowhere/report.csv"),
			message: "the program ended with exit code 2",
			hint:    "its stderr tells of a file (Directory nonexistent: \"/srv/nowhere/report.csv\"): " + notShown + "; with --trace the record names what of files it was refused, and what allows that"},
		{name: "python that fails of nothing that it was refused, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `ZeroDivisionError`,
			spec: inFolder(true, "/usr/bin/python3", "-c", "1/0"), message: "the program ended with exit code 1"},
		{name: "node that fails of nothing that it was refused, traced", needs: []string{"/usr/bin/node"}, reason: ReasonExecutionFailed, stderr: `throw 1`,
			spec: inFolder(true, "/usr/bin/node", "-e", "throw 1"), message: "the program ended with exit code 1"},
		{name: "python that misses a file that many do without, traced", needs: []string{"/usr/bin/python3", "/etc/hostname"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: '/etc/hostname'`,
			spec:    inFolder(true, "/usr/bin/python3", "-c", "open('/etc/hostname')"),
			message: `the program ended with exit code 1, and it was refused reading "/etc/hostname" (ENOENT)`, hint: "--ro /etc/hostname allows it"},
		{name: "pip that refuses by itself", needs: []string{"/usr/bin/pip3", "/usr/lib/python3.11/EXTERNALLY-MANAGED"}, reason: ReasonExecutionFailed, stderr: `externally-managed-environment`,
			spec:    command("/usr/bin/pip3", "install", "six"),
			message: "the program ended with exit code 1",
			hint:    "it was refused socket(AF_INET6, SOCK_STREAM) (EAFNOSUPPORT), which many programs try and do without; if that may be it: " + noNetworkHint},
		{name: "pip that finds nobody to trust", needs: []string{"/usr/bin/pip3", "/usr/lib/python3.11/EXTERNALLY-MANAGED"}, reason: ReasonExecutionFailed, stderr: `CA certificate bundle`,
			spec:    command("/usr/bin/pip3", "install", "--target", "/tmp/o", "six"),
			message: "the program ended with exit code 1, and it was refused the network: socket(AF_INET6, SOCK_STREAM) (EAFNOSUPPORT)", hint: noNetworkHint},
		{name: "the same with a network of its own", needs: []string{"/usr/bin/pip3", "/usr/lib/python3.11/EXTERNALLY-MANAGED"}, reason: ReasonExecutionFailed, stderr: `CA certificate bundle`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/pip3", "install", "--target", "/tmp/o", "six")(t)
				s.Net = NetLoopback
				return s
			},
			message: "the program ended with exit code 1", hint: noNetwork},
		{name: "sed that replaces a file which is granted by itself", needs: []string{"/usr/bin/sed"}, reason: ReasonExecutionFailed, stderr: `Read-only file system`,
			spec: withFile(MountRW, "data.txt", "/usr/bin/sed", "-i", "s/x/y/"), message: "the program ended with exit code 4", hint: granted + "--rw WORK in place of --rw WORK/data.txt allows it"},
		{name: "sed that replaces a file which is granted by itself, traced", needs: []string{"/usr/bin/sed"}, reason: ReasonExecutionFailed, stderr: `Read-only file system`,
			spec:    withTrace(withFile(MountRW, "data.txt", "/usr/bin/sed", "-i", "s/x/y/")),
			message: `the program ended with exit code 4, and it was refused making "WORK/sedXXXXXX" (EROFS)`, hint: "--rw WORK in place of --rw WORK/data.txt allows it"},
		{name: "sed that replaces a file which is read-only by itself, traced", needs: []string{"/usr/bin/sed"}, reason: ReasonExecutionFailed, stderr: `Read-only file system`,
			spec:    withTrace(withFile(MountRO, "data.txt", "/usr/bin/sed", "-i", "s/x/y/")),
			message: `the program ended with exit code 4, and it was refused making "WORK/sedXXXXXX" (EROFS)`, hint: "--rw WORK in place of --ro WORK/data.txt allows it"},
		{name: "a shell that writes to a file which is read-only by itself", reason: ReasonExecutionFailed, stderr: `Read-only file system`,
			spec: func(t *testing.T) Spec {
				s := withFile(MountRO, "data.txt", "/bin/sh", "-c", `echo x >>"$0"`)(t)
				os.Chmod(s.Args[3], 0o666) // for root's box, which is of another user
				return s
			},
			message: "the program ended with exit code 2",
			hint:    `"WORK/data.txt" is granted read-only: --rw WORK/data.txt in place of --ro WORK/data.txt allows it`},
		{name: "sed that replaces a file which was kept as it is", needs: []string{"/usr/bin/sed"}, reason: ReasonExecutionFailed, stderr: `Device or resource busy`,
			spec: inWritable(MountRO, "data.txt", "/usr/bin/sed", "-i", "s/x/y/", "WORK/data.txt"), message: "the program ended with exit code 4",
			hint: `"WORK/data.txt" is granted by itself within "WORK": it can't be replaced, moved or removed there; ` + setApart("--ro WORK/data.txt")},
		{name: "mv of a file which was kept as it is, by its name alone", needs: []string{"/usr/bin/mv"}, reason: ReasonExecutionFailed, stderr: `Device or resource busy`,
			spec: withTrace(inWritable(MountRO, "data.txt", "/usr/bin/mv", "data.txt", "x.txt")), message: "the program ended with exit code 1",
			hint: `"WORK/data.txt" is granted by itself within "WORK": it can't be replaced, moved or removed there; ` + setApart("--ro WORK/data.txt")},
		{name: "mv of a folder around a hole", needs: []string{"/usr/bin/mv"}, reason: ReasonExecutionFailed, stderr: `Device or resource busy`,
			spec: inWritable(MountTmpfs, "sub/hole", "/usr/bin/mv", "sub", "sub2"), message: "the program ended with exit code 1",
			hint: `"WORK/sub/hole" is granted by itself within "WORK": no folder that holds it can be replaced, moved or removed; ` + setApart("--tmpfs WORK/sub/hole")},
		{name: "mv of a folder around what is writable anyway", needs: []string{"/usr/bin/mv"}, reason: ReasonExecutionFailed, stderr: `Device or resource busy`,
			spec: inWritable(MountRW, "sub/hole", "/usr/bin/mv", "sub", "sub2"), message: "the program ended with exit code 1",
			hint: `"WORK/sub/hole" is granted by itself within "WORK": no folder that holds it can be replaced, moved or removed; run it without --rw WORK/sub/hole`},
		{name: "python that opens too many files", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `Too many open files`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/python3", "-c", "l = [open('/dev/null') for i in range(100)]")(t)
				s.Limits.NoFile = 64
				return s
			},
			message: "the program ended with exit code 1", hint: "a process may have 64 files open: raise --nofile if it needs more"},
		{name: "dd of too large a file", reason: ReasonExecutionFailed, stderr: `(?i)file (size limit exceeded|too large)`,
			spec:    changed("dd if=/dev/zero of=/tmp/x bs=64k count=20; exit $?", func(s *Spec) { s.Limits.FileSize = 1 << 20 }),
			message: "the program ended with exit code 153", hint: "a file may have 1048576 bytes: raise --fsize if it needs more"},
		{name: "dd to a full folder in memory", reason: ReasonExecutionFailed, stderr: `No space left on device`,
			spec:    changed("dd if=/dev/zero of=/data/x bs=64k count=20; exit $?", func(s *Spec) { s.View = append(s.View, Mount{Kind: MountTmpfs, Target: "/data", Size: 1 << 20}) }),
			message: "the program ended with exit code 1", hint: "/data is a folder in memory: give it more room with --tmpfs /data:SIZE"},
		{name: "python that misses what the host has not either, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: 'mytool'`,
			spec:    inFolder(true, "/usr/bin/python3", "-c", "import subprocess; subprocess.run(['mytool'])"),
			message: "the program ended with exit code 1", hint: `the program found no "mytool" in PATH, /usr/bin:/bin: name it by its path, and grant it with --ro if it is not in the box; or grant its folder, and name that in --env PATH=…`},
		{name: "sed that replaces a mount point", needs: []string{"/usr/bin/sed"}, reason: ReasonExecutionFailed, stderr: `Device or resource busy`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/sed", "-i", "s/x/y/", "/tmp/at/data.txt")(t)
				s.View = append(s.View, Mount{Kind: MountRW, Source: filepath.Join(filledFolder(t), "data.txt"), Target: "/tmp/at/data.txt"})
				return s
			},
			message: "the program ended with exit code 4",
			hint:    strings.ReplaceAll(granted, "WORK", "/tmp/at") + "--rw WORK:/tmp/at in place of --rw WORK/data.txt:/tmp/at/data.txt allows it"},
		{name: "mv of a file which is granted by itself", needs: []string{"/usr/bin/mv"}, reason: ReasonExecutionFailed, stderr: `cannot remove`,
			spec: withFile(MountRO, "data.txt", "/usr/bin/mv", "-t", "/tmp"), message: "the program ended with exit code 1", hint: granted + "--rw WORK in place of --ro WORK/data.txt allows it"},
		{name: "python that writes to a folder in one that is given", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `readonly database`,
			spec: inReadOnly("/usr/bin/python3", "-c", "import sqlite3; c = sqlite3.connect('WORK/sub/x.db'); c.execute('insert into t values (1)')"), message: `the program ended with exit code 1, and it was refused writing "WORK/sub/x.db" (EROFS)`,
			hint: "--rw WORK/sub allows it"},
		{name: "a script that misses the module beside it", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No module named 'helper'`,
			spec: withFile(MountRO, "main.py", "/usr/bin/python3"), message: "the program ended with exit code 1",
			hint: `the module "helper" lies in a folder that the box does not show: --ro WORK allows it`},
		{name: "a script that misses the module beside it, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No module named 'helper'`,
			spec: withTrace(withFile(MountRO, "main.py", "/usr/bin/python3")), message: "the program ended with exit code 1",
			hint: `the module "helper" lies in a folder that the box does not show: --ro WORK allows it`},
		{name: "a script of node's that misses the module beside it", needs: []string{"/usr/bin/node"}, reason: ReasonExecutionFailed, stderr: `Cannot find module './h.js'`,
			spec: withFile(MountRO, "main.js", "/usr/bin/node"), message: "the program ended with exit code 1",
			hint: `the module "./h.js" lies in a folder that the box does not show: --ro WORK allows it`},
		{name: "a script of node's that misses the module beside it, traced", needs: []string{"/usr/bin/node"}, reason: ReasonExecutionFailed, stderr: `Cannot find module './h.js'`,
			spec: withTrace(withFile(MountRO, "main.js", "/usr/bin/node")), message: `the program ended with exit code 1, and it was refused looking at "WORK/h.js" (ENOENT)`,
			hint: "--ro WORK/h.js allows it"},
		{name: "python that misses a package, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `ModuleNotFoundError`,
			spec:    inFolder(true, "/usr/bin/python3", "-c", "import no_such_package"),
			message: "the program ended with exit code 1", hint: "its stderr tells of a module (ModuleNotFoundError: \"no_such_package\"): " + noPackage},
		{name: "a shell that misses a program", reason: ReasonExecutionFailed, stderr: `convert: not found`, spec: line("convert in.png out.jpg"),
			message: "the program ended with exit code 127", hint: notInPath},
		{name: "env that misses a program", needs: []string{"/usr/bin/env"}, reason: ReasonExecutionFailed, stderr: `No such file`, spec: command("/usr/bin/env", "convert"),
			message: "the program ended with exit code 127", hint: notInPath},
		{name: "a shell whose script names what the box has not", reason: ReasonExecutionFailed, stderr: `not found`, spec: namesInterpreter(Tier1),
			message: "the program ended with exit code 127", hint: `"WORK/i.sh" is there, and names the interpreter "WORK/own", which is not in the box: grant it with --ro WORK/own`},
		{name: "the same in tier 2", reason: ReasonExecutionFailed, stderr: `Permission denied`, spec: namesInterpreter(Tier2),
			message: "the program ended with exit code 126", hint: `"WORK/i.sh" is there, and names the interpreter "WORK/own", which is not in the box: grant it with --ro WORK/own`},
		{name: "the script alone in tier 2", reason: ReasonExecFailed, stderr: ``, spec: func(t *testing.T) Spec {
			s := namesInterpreter(Tier2)(t)
			s.Args = s.Args[2:]
			return s
		}, message: `exec: execve "WORK/i.sh": permission denied: the file is there, and names the interpreter "WORK/own", which is not in the box`, hint: "grant it with --ro WORK/own"},
		{name: "a script that reads a file beside it, from where it starts", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: 'helper\.py'`,
			spec: withScript("open('helper.py')", "/usr/bin/python3"), message: "the program ended with exit code 1",
			hint: `"helper.py" lies in WORK, and the program starts in /tmp: --ro WORK/helper.py --cwd WORK has it start there`},
		{name: "the same, traced", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: 'helper\.py'`,
			spec: withTrace(withScript("open('helper.py')", "/usr/bin/python3")), message: "the program ended with exit code 1",
			hint: `"helper.py" lies in WORK, and the program starts in /tmp: --ro WORK/helper.py --cwd WORK has it start there`},
		{name: "a script that reads a file which is not beside it", needs: []string{"/usr/bin/python3"}, reason: ReasonExecutionFailed, stderr: `No such file or directory: 'nothing\.py'`,
			spec: withTrace(withScript("open('nothing.py')", "/usr/bin/python3")), message: "the program ended with exit code 1",
			hint: "its stderr tells of a file (No such file or directory: \"nothing.py\"): " + notShown},
		{name: "a fork bomb", group: true, reason: ReasonPidsLimit, stderr: `(?i)cannot fork`,
			spec:    changed("bomb() { bomb | bomb; }; bomb", func(s *Spec) { s.Limits.Pids = 24 }),
			message: "the program failed after forks were refused (limit 24 processes and threads)", hint: "raise --pids if the program needs more"},
		{name: "a fork bomb that the clock ends", needs: []string{"/usr/bin/bash"}, group: true, reason: ReasonTimeout, stderr: `fork: retry`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/bash", "-c", "bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done")(t)
				s.Limits.Pids, s.Limits.Timeout = 24, min(10*time.Second, unhurried(5*time.Second, 2*time.Second)) // bash gives up after 15 s
				return s
			},
			message: "ended after TIME of wall time (limit TIME); n of its forks were refused (limit 24 processes and threads)",
			hint:    "raise --timeout if the program needs longer; raise --pids if it waited for processes that it could not start"},
		{name: "a JIT that may not make code", needs: []string{"/usr/bin/qemu-system-x86_64"}, reason: ReasonExecutionFailed, stderr: `(?i)jit|memfd|tcg`,
			spec: func(t *testing.T) Spec {
				s := command("/usr/bin/qemu-system-x86_64", "-accel", "tcg,split-wx=on,tb-size=16", "-M", "none", "-nodefaults", "-display", "none", "-monitor", "stdio")(t)
				s.Seccomp.Deny = []string{"memfd_create"}
				s.Env = append(s.Env, "TMPDIR=/nowhere") // where it would go on with a file
				return s
			},
			message: `the program ended with exit code 1, and it was refused memfd_create("test", MFD_CLOEXEC|MFD_ALLOW_SEALING) (EPERM), which a JIT compiler makes its code with`,
			hint:    "run it without --deny-syscall memfd_create"},
		{name: "a program that gives a file to another user", needs: []string{"/usr/bin/chown"}, reason: ReasonExecutionFailed, stderr: `Invalid argument`,
			spec: inFolder(false, "/usr/bin/chown", "33:33", "."), message: "the program ended with exit code 1",
			hint: "a box has one user and one group, and no other id is mapped in it, whoever starts it: no program in it becomes another user, root included, or gives files to one (setuid, setgid, setgroups, chown): run without that step what has it, as by tar --no-same-owner, cp without -p, or the program without gosu, su or sudo"},
		{name: "a program that misses a library", needs: []string{"/usr/bin/ls"}, reason: ReasonExecutionFailed, stderr: `error while loading shared libraries: lib\S+: cannot open shared object file`,
			spec: withoutLibraries("/usr/bin/ls"), message: "the program ended with exit code 127",
			hint: `the dynamic loader found no "LIBRARY" in the box: --ro FOLDER --env LD_LIBRARY_PATH=FOLDER shows it, FOLDER being the whole path of the folder that holds it`},
	}
}

// Programs that fail in a box for the reasons that people meet first: what the record
// says of it, word for word, and that it says so of that.
func TestFailuresForReal(t *testing.T) {
	needListener(t)
	for _, f := range failures() {
		t.Run(f.name, func(t *testing.T) {
			for _, file := range f.needs {
				if _, err := os.Stat(file); err != nil {
					leaveOut(t, err.Error())
				}
			}
			if f.group {
				needGroup(t)
			}
			dir := ownTemp(t)
			res, err := Run(t.Context(), f.spec(t))
			if want(t, res, f.reason); err != nil && f.reason != ReasonExecFailed {
				t.Fatal(err)
			}
			if !regexp.MustCompile(f.stderr).MatchString(res.Stderr.Text) {
				t.Errorf("it did not fail of that: %q, want %s", res.Stderr.Text, f.stderr)
			}
			steady := func(s string) string {
				s = regexp.MustCompile(`, \d+ times\)`).ReplaceAllString(s, ", n times)")
				s = regexp.MustCompile(`\d+ of its forks`).ReplaceAllString(s, "n of its forks")
				s = regexp.MustCompile(`[0-9.]+s\b`).ReplaceAllString(s, "TIME")
				s = regexp.MustCompile(`/sed\w{6}"`).ReplaceAllString(s, `/sedXXXXXX"`)
				s = regexp.MustCompile(`found no "lib[^"]+"`).ReplaceAllString(s, `found no "LIBRARY"`)
				return strings.ReplaceAll(s, dir, "WORK")
			}
			if got := steady(res.Message); got != f.message {
				t.Errorf("message %q\nwant %q", got, f.message)
			}
			if got := steady(res.Hint); got != f.hint {
				t.Errorf("hint %q\nwant %q", got, f.hint)
			}
		})
	}
}
