package jail

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// What was not in the box is looked up on the host when the box is gone: earlier,
// the program could have learnt by the time that it takes what the host has.

// sourceTrace is what a tracer sees.
const sourceTrace = "paths looked up beside the calls (--trace)"

// mostPathDenials is how many a record has.
const mostPathDenials = 64

// hostLooks is what looking the missing ones up may take in all: their number, and
// how deep they are, is the program's choice.
const hostLooks = time.Second

// A hostFile is what the host has at a path.
type hostFile struct {
	real string // with links resolved
	mode uint32
}

// hostFileAt looks a path up on the host without waking an automounter: the path is the
// program's choice. Links are resolved here for the same reason.
func hostFileAt(p string) (hostFile, bool) {
	rest, at := strings.Split(strings.Trim(path.Clean(p), "/"), "/"), "/"
	f := hostFile{real: "/", mode: unix.S_IFDIR}
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		var st unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, next, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_MODE, &st) != nil {
			return hostFile{}, false
		}
		rest = rest[1:]
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			if st.Attributes&unix.STATX_ATTR_AUTOMOUNT != 0 && len(rest) > 0 {
				return hostFile{}, false
			}
			at, f = next, hostFile{real: next, mode: uint32(st.Mode)}
			continue
		}
		text, err := os.Readlink(next)
		if hops++; err != nil || hops > 40 {
			return hostFile{}, false
		}
		if path.IsAbs(text) {
			at = "/"
		}
		rest = append(strings.Split(strings.Trim(path.Clean(text), "/"), "/"), rest...)
	}
	return f, true
}

func (f hostFile) dir() bool { return f.mode&unix.S_IFMT == unix.S_IFDIR }

// grantable says why nobody is told to grant a file, or "".
func (f hostFile) grantable() string {
	kind := f.mode & unix.S_IFMT
	switch {
	case f.real == "/":
		return "the whole file system is never granted"
	case kind != unix.S_IFDIR && kind != unix.S_IFREG && kind != unix.S_IFIFO:
		return "sockets and devices are not granted"
	}
	if why := refusedSource(&mount{Mount: Mount{Kind: MountRO, Source: f.real}}); why != "" {
		return why
	}
	if slices.Contains(hostSecrets, f.real) {
		return "it is where secrets of the host's are kept"
	}
	home, err := os.UserHomeDir()
	if err != nil || !path.IsAbs(home) {
		return ""
	}
	home = path.Clean(home)
	if f.real == home || strings.HasPrefix(home, f.real+"/") {
		return "the caller's whole home is in it: grant the folders that are needed"
	}
	for _, secret := range secrets {
		if p := path.Join(home, secret); f.real == p || strings.HasPrefix(f.real, p+"/") {
			return "it is where secrets of the caller's are kept"
		}
	}
	return ""
}

// secrets are places in a home that no hint tells anybody to grant. Whoever means it
// knows how.
var secrets = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".password-store",
	".config/gcloud", ".config/gh", ".config/git/credentials", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".bash_history", ".zsh_history"}

var hostSecrets = []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh", "/etc/ssl/private"}

// mountAt is the mount that a path of the box lies in, or nil.
func (v view) mountAt(real string) *mount {
	for dir := real; dir != "/" && dir != "."; dir = path.Dir(dir) {
		if m := v.grants[dir]; m != nil {
			return m
		}
	}
	return nil
}

// holds says whether there is something of the box's below a folder, or in its place.
func (v view) holds(dir string) bool {
	return slices.ContainsFunc(v.entries, func(e entry) bool { return e.path == dir || strings.HasPrefix(e.path, dir+"/") })
}

// source is where a path of the box lies on the host; "" for what is the box's own.
func (m *mount) source(real string) string {
	if m == nil || m.Kind == MountTmpfs {
		return ""
	}
	return path.Join(m.Source, strings.TrimPrefix(real, m.path))
}

// pathDenials are the refusals that mean something: what the host does not have
// either is only what programs look for.
func (r *run) pathDenials() []Denial {
	t := r.observer.paths()
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Denial
	var grants []pathGrant
	left := int64(0)
	until := time.Now().Add(hostLooks)
	for _, ref := range t.refusals {
		if len(all) == mostPathDenials || !time.Now().Before(until) {
			left += ref.count
			continue
		}
		g, ok := r.grantOfPath(ref)
		if !ok {
			continue
		}
		d := Denial{Layer: LayerRoot, What: gerund(ref.want) + " " + shownPath(ref.asked), Count: ref.count, Errno: unix.ErrnoName(ref.errno),
			Never: g.never, Source: sourceTrace, common: soughtOften(ref)}
		if ref.landlock {
			d.Layer = LayerLandlock
		}
		all, grants = append(all, d), append(grants, g)
	}
	widen(grants)
	for i := range all {
		all[i].Grant, all[i].Setting = grants[i].text()
	}
	if left > 0 {
		all = append(all, Denial{Layer: LayerRoot, What: "other paths, which the host may not have either", Count: left, Source: sourceTrace, Never: "no more than the first are looked up"})
	}
	return all
}

// soughtOften says whether a path is one that programs and their libraries look for
// and do without: configuration, what the kernel tells, and whatever is only looked
// at.
func soughtOften(ref *pathRefusal) bool {
	const opened = paths.Read | paths.Write | paths.Make | paths.Remove | paths.Execute
	if ref.want&opened == 0 || strings.Contains(ref.asked, "/.") {
		return true
	}
	for _, top := range []string{"/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/lib/", "/var/", "/run/"} {
		if strings.HasPrefix(ref.asked, top) {
			return ref.want&(paths.Make|paths.Write|paths.Execute) == 0
		}
	}
	return false
}

func gerund(want paths.Want) string {
	for _, w := range []struct {
		want paths.Want
		word string
	}{{paths.Execute, "executing"}, {paths.Make, "making"}, {paths.Write, "writing"}, {paths.Remove, "removing"}, {paths.Change, "changing"},
		{paths.Connect, "connecting to"}, {paths.Read, "reading"}, {paths.Enter, "entering"}} {
		if want&w.want != 0 {
			return w.word
		}
	}
	return "looking at"
}

// shownPath is a path of the program's choice, printable and bounded.
func shownPath(p string) string {
	const longest = 160
	if len(p) > longest {
		return strconv.Quote(p[:longest]) + "…"
	}
	return strconv.Quote(p)
}
