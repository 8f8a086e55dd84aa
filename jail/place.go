package jail

import (
	"path"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/folder"
	"github.com/seed-75010da9/jail/internal/shellword"
	"golang.org/x/sys/unix"
)

func (r *resolver) put(m *mount, nested bool) {
	r.view.grants[m.path] = m
	r.view.mounts = append(r.view.mounts, m)
	r.view.entries = append(r.view.entries, entry{kind: entryMount, path: m.path, mount: m, nested: nested})
}

// keepInPlace has each folder between the writable tree outer and the mount point at,
// which lies in it, be a mount point as well. The kernel lets nobody rename or remove
// a mount point, but what lies above one goes wherever it is renamed to, and the mount
// with it: the box could make a folder of its own in the place of what is read-only or
// hidden there, on the host, and find what is hidden the next time.
func (r *resolver) keepInPlace(outer *mount, at string) bool {
	for _, dir := range parents(at) {
		if !strings.HasPrefix(dir, outer.path+"/") {
			continue
		}
		source := path.Join(outer.Source, strings.TrimPrefix(dir, outer.path))
		var st unix.Stat_t
		if !r.grantedAt(source, &st) {
			return false
		}
		r.put(&mount{
			Mount: Mount{Kind: outer.Kind, Source: source, Target: dir}, dir: true, path: dir,
			uid: int(st.Uid), gid: int(st.Gid), mode: st.Mode, dev: st.Dev, ino: st.Ino, part: outer,
		}, true)
		r.own[dir] = entryMount
	}
	return true
}

// place makes room at path at in our own part of the tree: its parents, and
// nothing there yet.
func (r *resolver) place(at string, kind entryKind) bool {
	if outer := r.outer(at); outer != nil && outer.Kind != MountTmpfs {
		r.fault("target", at, "lies in the granted tree "+shellword.Quote(outer.Source)+", in which jail makes nothing")
		return false
	}
	if _, ok := r.own[at]; ok {
		r.fault("target", at, "is already taken by something else in the box")
		return false
	}
	for _, dir := range parents(at) {
		if _, ok := r.own[dir]; !ok {
			r.own[dir] = entryDir
			r.view.entries = append(r.view.entries, entry{kind: entryDir, path: dir})
		} else if r.own[dir] == entryFile {
			r.fault("target", at, "lies below the file "+shellword.Quote(dir))
			return false
		}
	}
	r.own[at] = kind
	return true
}

// outer is the mount that path at would lie in, or nil.
func (r *resolver) outer(at string) *mount {
	for dir := path.Dir(at); dir != "/"; dir = path.Dir(dir) {
		if m := r.view.grants[dir]; m != nil {
			return m
		}
	}
	return nil
}

// existsIn says whether the mount point at exists, as a folder or not, in the
// host tree of outer, reached without links: what the box will be mounted on.
func (r *resolver) existsIn(outer *mount, at string, dir bool) bool {
	rel := strings.TrimPrefix(at, outer.path+"/")
	root, err := folder.OpenPlace(unix.AT_FDCWD, outer.Source, 0)
	if outer.Kind == MountSystem {
		root, err = unix.Open(outer.Source, unix.O_PATH|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return false
	}
	defer unix.Close(root)
	fd, err := folder.OpenPlace(root, rel, unix.RESOLVE_BENEATH)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) == nil && (st.Mode&syscall.S_IFMT == syscall.S_IFDIR) == dir
}

// canonical is target with the box's own links resolved.
func (r *resolver) canonical(target string) (string, bool) {
	rest := strings.Split(strings.Trim(target, "/"), "/")
	at := "/"
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		text, isLink := r.links[next]
		if !isLink || len(rest) == 0 {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return "", false
		}
		if path.IsAbs(text) {
			at = "/"
		}
		rest = append(strings.Split(strings.Trim(text, "/"), "/"), rest...)
	}
	return at, true
}

// parents are the folders above p, outermost first, without the root.
func parents(p string) []string {
	var out []string
	for i := 1; i < len(p); i++ {
		if p[i] == '/' {
			out = append(out, p[:i])
		}
	}
	return out
}

func kindWord(dir bool) string {
	if dir {
		return "folder"
	}
	return "file"
}
