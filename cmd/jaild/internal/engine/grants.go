package engine

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
)

// A grant is a file or a folder that a module may use.
type grant struct {
	path  string
	write bool
	root  *os.Root // nil for a file
	// outer says that other grants lie in this one. No link is followed in it then:
	// it could lead to one of those, by this one's rights.
	outer bool
}

// grants are all of them, the longest path first.
type grants []*grant

// openGrants opens what the launcher has granted.
func openGrants(from []grantOption) (grants, error) {
	var all grants
	for _, o := range from {
		info, err := os.Lstat(o.path)
		if err != nil {
			return nil, err
		}
		g := &grant{path: o.path, write: o.write}
		if info.IsDir() {
			if g.root, err = os.OpenRoot(o.path); err != nil {
				return nil, err
			}
		}
		all = append(all, g)
	}
	slices.SortStableFunc(all, func(a, b *grant) int { return len(b.path) - len(a.path) })
	for _, g := range all {
		g.outer = slices.ContainsFunc(all, func(in *grant) bool { return in != g && below(in.path, g.path) })
	}
	return all, nil
}

// below says whether one absolute path is another or lies below it.
func below(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// find is the grant that a path belongs to, and the path in it.
func (all grants) find(p string) (g *grant, rel string) {
	for _, g := range all {
		if p == g.path {
			return g, "."
		}
		if below(p, g.path) && g.root != nil {
			return g, strings.TrimPrefix(strings.TrimPrefix(p, g.path), "/")
		}
	}
	return nil, ""
}

// names are what lies right in a folder that is not granted, because grants lie below it.
func (all grants) names(dir string) []string {
	var names []string
	for _, g := range all {
		if g.path != dir && below(g.path, dir) {
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(g.path, dir), "/"), "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mounts are the folders that a module finds opened. The first is the one that it starts
// in, which Go's programs go by; "." is the same for those of C and Rust, last, since
// they would take it for the root.
func (all grants) mounts(config wazero.FSConfig, dir string) wazero.FSConfig {
	mount := func(at, name string) {
		config = config.(sysfs.FSConfig).WithSysFSMount(&folder{all: all, at: at}, name)
	}
	start, _ := all.find(dir)
	if start != nil {
		mount(dir, dir)
	}
	seen := map[string]bool{dir: start != nil}
	for _, g := range slices.Backward(all) {
		at := g.path
		if g.root == nil {
			at = path.Dir(at)
		}
		if outer, _ := all.find(at); !seen[at] && (g.root != nil || outer == nil) {
			seen[at] = true
			mount(at, at)
		}
	}
	if start != nil {
		mount(dir, ".")
	}
	return config
}

// A folder is a preopened one.
type folder struct {
	sys.UnimplementedFS
	all grants
	at  string
}

// A place is what a path in a folder means.
type place struct {
	*grant
	rel string
	abs string
}

// place finds what a path means. What belongs to no grant is not there.
func (f *folder) place(p string) place {
	abs := path.Join(f.at, p)
	g, rel := f.all.find(abs)
	return place{g, rel, abs}
}

// to is the place for a change: 0, or why there is none.
func (f *folder) to(p string) (place, sys.Errno) {
	at := f.place(p)
	switch {
	case at.grant == nil && len(f.all.names(at.abs)) > 0:
		return at, sys.EROFS
	case at.grant == nil:
		return at, sys.ENOENT
	case !at.write:
		return at, sys.EROFS
	case at.rel == "." || len(f.all.names(at.abs)) > 0: // a grant itself, or one lies in it
		return at, sys.EPERM
	}
	return at, at.links(path.Dir(at.rel))
}

// links refuses paths that lead through links where those are not followed.
func (at place) links(rel string) sys.Errno {
	if at.grant == nil || !at.outer {
		return 0
	}
	for p := rel; p != "." && p != "/"; p = path.Dir(p) {
		if info, err := at.root.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return sys.EPERM
		}
	}
	return 0
}

// errno is why the system refused something.
func errno(err error) sys.Errno {
	if err == nil {
		return 0
	}
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = inner.Unwrap()
	}
	if no, ok := err.(syscall.Errno); ok {
		return sys.UnwrapOSError(no)
	}
	switch err {
	case fs.ErrNotExist, fs.ErrExist, fs.ErrInvalid, fs.ErrClosed, fs.ErrPermission:
		return sys.UnwrapOSError(err)
	}
	return sys.EPERM // the path leads out of the grant
}
