package main

import (
	"strconv"
	"strings"
)

// rows are what is to hold in a container for a user.
func rows(e *engine, uid int) []row {
	jail := func(words ...string) []string { return append([]string{"/jail"}, words...) }
	const leavings = `/jail run --tier 2 --timeout 1s -- /bin/sh -c "setsid sleep 77 & setsid sleep 77 & sleep 77"; echo ended $?
for p in /proc/[0-9]*; do [ "$(tr "\0" " " <$p/cmdline)" = "sleep 77 " ] && echo one is left; done; true`
	list := []row{
		{name: "the engine's filter and no namespaces", words: []string{"sh", "-c", "grep Seccomp: /proc/self/status; unshare -U true || echo no namespace"}, says: []string{"\t2", "no namespace"}},
		{name: "tier 1 is refused, with the way to tier 2", words: jail("run", "--optional", "cgroup", "/bin/true"), exit: 125, says: []string{"setup_refused", "--tier 2"}},
		{name: "a shell in tier 2", words: jail("run", "--tier", "2", "--", "/bin/sh", "-c", `echo "of the environment: [$SECRET]"; cat /etc/passwd; echo x >/usr/x; exit 7`), exit: 7,
			says: []string{"of the environment: []", "passwd: Permission denied", "jail: without namespaces: tier 2", "jail: without cgroup"}},
		{name: "python in tier 2", words: jail("run", "--tier", "2", "--profile", "python", "--", "-c", "import socket; print(6 * 7); socket.socket()"), exit: 1,
			says: []string{"42\n", "Address family not supported"}},
		{name: "node in tier 2", words: jail("run", "--tier", "2", "--profile", "node", "--", "-e", "console.log(6 * 7)"), says: []string{"42\n"}},
		{name: "the whole tree ends with its time", words: []string{"sh", "-c", leavings + "; exit 3"}, exit: 3, says: []string{"ended 124\n"}},
		{name: "doctor", words: jail("doctor"), exit: 1, says: []string{"inside docker", "The weaker box without", "--tier 2"}},
	}
	told, _ := e.docker("run", "--rm", "--network", "none", "--volume", e.dir+"/jail:/jail:ro", "--volume", "/usr:/usr:ro", "--user", strconv.Itoa(uid), image, "/jail", "doctor").Output()
	return append(list, row{name: "doctor's commands, carried out: every wall stands", engine: flagsToldIn(string(told)),
		words: jail("run", "--optional", "cgroup", "/bin/echo", "every wall"), says: []string{"every wall\n"}})
}

// flagsToldIn are those of all commands for docker run that doctor has.
func flagsToldIn(told string) (flags []string) {
	for line := range strings.Lines(told) {
		if _, rest, ok := strings.Cut(line, "> docker run "); ok {
			flags = append(flags, strings.Fields(strings.TrimSuffix(strings.TrimSpace(rest), "…"))...)
		}
	}
	return flags
}
