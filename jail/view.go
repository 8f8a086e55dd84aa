package jail

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/folder"
	"github.com/seed-75010da9/jail/internal/shellword"
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
	index    int    // in Spec.View
}

// resolver builds a view. own holds what stands at a path of the box so far.
type resolver struct {
	spec   Spec
	view   view
	own    map[string]entryKind
	links  map[string]string
	index  int // of the entry that is being added
	places *Places
	faults Faults
}

// resolve looks everything that spec.View names up on the host.
func (s *Places) resolve(spec Spec) (view, Faults) {
	r := &resolver{
		spec: spec, places: s, own: map[string]entryKind{"/": entryDir, "/proc": entryMount, "/dev": entryDir}, links: map[string]string{},
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
	r.checkHoles()
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
		r.fault("target", m.Target, "must not lie below "+top+", which is the box's own, and leads to "+shellword.Quote(at))
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
	r.addMount(&mount{Mount: m, dir: true, path: at, uid: int(st.Uid), gid: int(st.Gid), mode: st.Mode, dev: st.Dev, ino: st.Ino, index: r.index})
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
			r.fault("target", m.Target, fmt.Sprintf("must exist in the granted tree %s around it, as a %s without links: jail makes no mount points in granted trees", shellword.Quote(outer.Source), kindWord(m.dir)))
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
		why = r.kernelMount(m.Source)
	}
	if why != "" {
		r.fault("source", m.Source, why)
	}
	return why == ""
}
