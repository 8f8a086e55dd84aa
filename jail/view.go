package jail

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// A view is the box's file tree, resolved against the host: what to make, in
// order, parents first.
type view struct {
	entries []entry
	mounts  []*mount // those of entries that are mounts
	grants  map[string]*mount
}

// An entry is one thing to make in the new root.
type entry struct {
	kind   entryKind
	path   string // absolute, in the box
	text   string // of a link; content of a file
	mount  *mount // of a mount
	nested bool   // a mount whose mount point lies in a granted tree: it must exist there
}

type entryKind int

const (
	entryDir entryKind = iota
	entryLink
	entryFile
	entryMount
)

// A mount is a host tree in the box, or a tmpfs.
type mount struct {
	Mount
	dir      bool
	path     string // where it is mounted: Target with the box's links resolved
	uid, gid int    // the owner of Source
	mode     uint32 // and its mode bits
	dev, ino uint64 // and which file it is
	part     *mount // of which this is a part, mounted once more: see keepInPlace
}

// resolver builds a view. own holds what stands at a path of the box so far.
type resolver struct {
	spec   Spec
	view   view
	own    map[string]entryKind
	links  map[string]string
	index  int       // of the entry that is being added
	kernel *[]string // where the kernel's own file systems are mounted; nil until asked
	faults Faults
}

// resolve looks everything that spec.View names up on the host.
func resolve(spec Spec) (view, Faults) {
	r := &resolver{
		spec: spec, own: map[string]entryKind{"/": entryDir, "/proc": entryMount, "/dev": entryDir}, links: map[string]string{},
		view: view{grants: map[string]*mount{}},
	}
	all := append(slices.Clone(spec.View), defaultMounts(spec)...)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return strings.Count(all[a].Target, "/") - strings.Count(all[b].Target, "/")
	})
	for _, i := range order {
		r.index = i
		r.add(all[i])
	}
	return r.view, r.faults
}

// defaultMounts are the private writable folders that every box has, unless
// the Spec puts something else there.
func defaultMounts(spec Spec) []Mount {
	var out []Mount
	for _, target := range []string{"/tmp", "/dev/shm"} {
		if !slices.ContainsFunc(spec.View, func(m Mount) bool { return m.Target == target }) {
			out = append(out, Mount{Kind: MountTmpfs, Target: target, Size: spec.Limits.TmpSize})
		}
	}
	return out
}

// fault is one of the entry that is being added.
func (r *resolver) fault(field, value, want string) {
	name := "the default view"
	if r.index < len(r.spec.View) {
		name = "view[" + strconv.Itoa(r.index) + "]"
	}
	r.faults = append(r.faults, Fault{name + "." + field, value, want})
}

func (r *resolver) add(m Mount) {
	at, ok := r.canonical(m.Target)
	if !ok {
		r.fault("target", m.Target, "must not lead through a loop of links")
		return
	}
	if top := boxOwn(at); top != "" && at != m.Target { // else Validate says so
		r.fault("target", m.Target, "must not lie below "+top+", which is the box's own, and leads to "+at)
		return
	}
	var st unix.Stat_t
	switch m.Kind {
	case MountSystem:
		if unix.Lstat(m.Source, &st) != nil {
			return
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			text, err := os.Readlink(m.Source)
			if err != nil {
				r.fault("source", m.Source, err.Error())
				return
			}
			r.link(at, text)
			return
		}
	case MountRO, MountRW:
		if !r.grantedAt(m.Source, &st) {
			return
		}
	case MountLink:
		r.link(at, m.Source)
		return
	case MountFile:
		if r.place(at, entryFile) {
			r.view.entries = append(r.view.entries, entry{kind: entryFile, path: at, text: m.Content})
		}
		return
	}
	r.addMount(&mount{Mount: m, dir: true, path: at, uid: int(st.Uid), gid: int(st.Gid), mode: st.Mode, dev: st.Dev, ino: st.Ino})
}

// grantedAt looks up what a caller grants.
func (r *resolver) grantedAt(source string, st *unix.Stat_t) bool {
	place, err := folder.OpenPlace(unix.AT_FDCWD, source, 0)
	if err == nil {
		err = unix.Fstat(place, st)
		unix.Close(place)
	}
	switch {
	case errors.Is(err, unix.ELOOP):
		r.fault("source", source, "must not lead through a symbolic link, which another box may have made: name what it leads to")
	case err != nil:
		r.fault("source", source, "must be a file or folder that exists and that the caller can reach: "+err.Error())
	}
	return err == nil
}

func (r *resolver) link(at, text string) {
	if !r.place(at, entryLink) {
		return
	}
	r.links[at] = text
	r.view.entries = append(r.view.entries, entry{kind: entryLink, path: at, text: text})
}

func (r *resolver) addMount(m *mount) {
	at := m.path
	if m.Kind != MountTmpfs && !r.grantable(m) {
		return
	}
	outer := r.outer(at)
	nested := outer != nil && outer.Kind != MountTmpfs
	if nested {
		if !r.existsIn(outer, at, m.dir) {
			r.fault("target", m.Target, fmt.Sprintf("must exist in the granted tree %s around it, as a %s without links: jail makes no mount points in granted trees", outer.Source, kindWord(m.dir)))
			return
		}
		if r.view.grants[at] != nil {
			r.fault("target", m.Target, "is granted twice")
			return
		}
		if outer.Kind == MountRW && !r.keepInPlace(outer, at) {
			return
		}
		r.own[at] = entryMount
	} else if !r.place(at, entryMount) {
		return
	}
	r.put(m, nested)
}

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

// grantable says whether m's source is something that is granted at all.
func (r *resolver) grantable(m *mount) bool {
	switch m.mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFREG, unix.S_IFIFO:
		m.dir = false
	default:
		r.fault("source", m.Source, "must be a folder, a regular file or a named pipe: sockets and devices are not granted")
		return false
	}
	why := refusedSource(m)
	if why == "" && m.dir && m.Kind != MountSystem {
		why = r.kernelMountBelow(m.Source)
	}
	if why != "" {
		r.fault("source", m.Source, why)
	}
	return why == ""
}

// place makes room at path at in our own part of the tree: its parents, and
// nothing there yet.
func (r *resolver) place(at string, kind entryKind) bool {
	if outer := r.outer(at); outer != nil && outer.Kind != MountTmpfs {
		r.fault("target", at, "lies in the granted tree "+outer.Source+", in which jail makes nothing")
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
			r.fault("target", at, "lies below the file "+dir)
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
