package nested

import (
	"path/filepath"
	"strconv"
	"strings"
)

// A place is what stands around jail; its words go in front of jail's own.
type place struct {
	name  string
	words []string
	// flags are what jail has to be told there.
	flags []string
	// userns is a user namespace of host root's with many ids, and nothing else,
	// around words.
	userns bool
	// uid is the host's number for the caller, whom a box then runs as, or 0 for a
	// host uid of the box's own.
	uid int
	// refused is what the refusal says, if it is one.
	refused string
}

// user is an ordinary one.
const user = 54321

func places() []place {
	id := strconv.Itoa(user)
	asUser := func(words ...string) []string {
		return append([]string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}, words...)
	}
	weaker := []string{"--optional", "cgroup"}
	box := []string{jail, "run", "-q", "--ro", filepath.Dir(jail), "--"}
	const nested = "a filter holds jail itself, that of another box: boxes do not nest"
	list := []place{
		{name: "nothing"},
		{name: "an ordinary user", words: asUser(), flags: weaker, uid: user},
		{name: "a container with privileges", words: []string{"unshare", "--mount", "--pid", "--ipc", "--net", "--uts", "--fork", "--mount-proc"}},
		{name: "a user's own mount in /proc", words: asUser("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs none /proc/irq; exec "$@"`, "sh"), flags: weaker, uid: user,
			refused: "the kernel mounts a new proc only where the caller's own is fully visible"},
		{name: "a user namespace without a map, of a user", words: asUser("unshare", "--user"), flags: weaker, uid: user,
			refused: "start jail as a user whom the user namespace around has a number for"},
		{name: "a user namespace without a map, of a user, --tier 2", words: asUser("unshare", "--user"), flags: []string{"--tier", "2"}, uid: user},
		{name: "a user namespace without a map, of host root", words: []string{"unshare", "--user"}, flags: weaker, refused: "is root of the host"},
		{name: "a user namespace without a map, of host root, --tier 2", words: []string{"unshare", "--user"}, flags: []string{"--tier", "2"}, refused: "is root of the host"},
		{name: "a box", words: box, flags: weaker, refused: `clone "new namespaces": operation not permitted (` + nested},
		{name: "a box, with all defaults", words: box, refused: nested},
		{name: "a box, with tier 2", words: box, flags: []string{"--tier", "2"}, refused: nested},
		{name: "a user's box", words: asUser(append([]string{jail, "run", "--optional", "cgroup"}, box[2:]...)...), flags: weaker, refused: nested},
		{name: "a box of tier 2", words: append(box[:2:2], append([]string{"--tier", "2"}, box[2:]...)...), flags: weaker, refused: nested},
		{name: "root without CAP_SYS_ADMIN", words: []string{"setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-all"},
			refused: `open_tree "/dev/null": operation not permitted (root makes its boxes with CAP_SYS_ADMIN, which it does not have here`},
		{name: "a user without CAP_SYS_ADMIN", words: []string{"setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-all", "--reuid", id, "--regid", id, "--clear-groups"}, flags: weaker, uid: user},
		{name: "root without CAP_SETUID and CAP_SETGID", words: []string{"setpriv", "--bounding-set", "-setuid,-setgid", "--inh-caps", "-all"},
			refused: `write "uid_map": operation not permitted (root makes its boxes with CAP_SETUID and CAP_SETGID, which`},
		{name: "root of a user namespace, in a mount namespace of another's", userns: true, flags: weaker,
			refused: `open_tree "/dev/null": operation not permitted (the mounts here belong to another user namespace`},
		{name: "root of a user namespace with many ids, in a mount namespace of its own", userns: true, words: []string{"unshare", "--mount"}, flags: weaker},
		{name: "too few mount namespaces", flags: weaker, refused: "sysctl user.max_mnt_namespaces",
			words: asUser("unshare", "--user", "--map-root-user", "sh", "-c", `echo 1 >/proc/sys/user/max_mnt_namespaces; exec "$@"`, "sh")},
	}
	for _, p := range maps() {
		for _, flags := range [][]string{weaker, {"--tier", "2"}} {
			told := ", " + strings.Join(flags, " ")
			list = append(list,
				place{name: p.name + ", of a user" + told, words: asUser(p.words...), flags: flags, uid: user},
				place{name: p.name + ", of host root" + told, words: p.words, flags: flags, refused: "is root of the host"})
		}
	}
	return list
}

// maps are user namespaces in which the caller alone has a number. A user of the host
// remains one there; host root remains that, whatever the number and the level.
func maps() []place {
	return []place{
		{name: "a user namespace with one entry", words: []string{"unshare", "--user", "--map-root-user"}},
		{name: "a user namespace with one entry that is not 0", words: []string{"unshare", "--user", "--map-user=1000", "--map-group=1000"}},
		{name: "a user namespace whose entry is the overflow uid", words: []string{"unshare", "--user", "--map-user=65534", "--map-group=65534"}},
		{name: "two user namespaces", words: []string{"unshare", "--user", "--map-root-user", "unshare", "--user", "--map-root-user"}},
		{name: "two user namespaces, 0 being another one in between", words: []string{"unshare", "--user", "--map-user=5", "--map-group=5", "--keep-caps", "unshare", "--user", "--map-root-user"}},
		{name: "three user namespaces", words: []string{"unshare", "--user", "--map-root-user", "unshare", "--user", "--map-user=7", "--map-group=7", "--keep-caps", "unshare", "--user", "--map-user=1000", "--map-group=1000"}},
		{name: "bubblewrap with the host's files", words: []string{"bwrap", "--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--uid", "1000", "--gid", "1000", "--proc", "/proc"}},
		{name: "bubblewrap with few files", words: []string{"bwrap", "--unshare-all", "--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", filepath.Dir(jail), filepath.Dir(jail)}},
	}
}
