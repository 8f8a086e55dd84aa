package profiles

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// What a search for libraries may cost. The program may be a stranger's, and
// with it all that says where to look: no legitimate one comes near.
const (
	maxObjects = 256     // libraries
	maxFolders = 64      // in which one of them is looked for
	maxLookups = 4096    // of a name in a folder
	maxRead    = 8 << 20 // bytes of the files
)

// A search finds the shared libraries of one program that is granted by itself.
type search struct {
	b          *builder
	arg        string   // the program, as faults show it
	real       string   // its real path
	home       []string // see libraryFolders
	machine    uint16
	known      map[string]bool // names that are done with
	queue      []loaded
	lookups    int
	read       int
	overBudget bool
}

// A loaded file is known to the host by its real path, and to the box by the
// path at which it is seen: there, $ORIGIN is the folder of the latter.
type loaded struct {
	object
	at    libPath
	rpath []libPath // inherited
}

// A libPath is a file or folder on the host and in the box.
type libPath struct{ host, box string }

// libraries grants the shared libraries of a program that is granted by itself,
// found as ld.so(8) would find them: in the folders that DT_RPATH or DT_RUNPATH
// name, where the system's own don't have them. Each is granted as a single
// file, and so is a dynamic loader of the program's own.
//
// The program may be what a stranger wrote, and with it the names in it. What
// they add to the grants is libraries that came with the program: below its own
// folder, or below its prefix when that folder is a bin. Nothing else is even
// looked at, so that no answer tells whether it exists; a fault names the
// folder, which the caller can grant.
func (b *builder) libraries(field, arg, real, box string) {
	main, err := readELF(real)
	if err != nil {
		return
	}
	s := &search{b: b, arg: arg, real: real, machine: main.machine, known: map[string]bool{}, read: main.read}
	s.queue = []loaded{{object: main, at: libPath{real, box}}}
	if filepath.IsAbs(main.interp) {
		s.named(field, "the dynamic loader", main.interp)
	}
	for count := 0; len(s.queue) > 0 && !s.overBudget; count++ {
		from := s.queue[0]
		s.queue = s.queue[1:]
		s.needs(field, from)
		s.overBudget = s.overBudget || count > maxObjects || s.lookups > maxLookups || s.read > maxRead
	}
	if s.overBudget {
		b.fault(field, arg, "a program whose libraries are found with less looking: this one names more files and folders than any real one does; grant its folder with --ro if it is right")
	}
}

// libraryFolders is where a program's own libraries may lie, given that it is
// granted by itself: the folder that holds it, and the prefix around a bin,
// unless that holds somebody's other files as well.
func (b *builder) libraryFolders(real string) []string {
	list := []string{}
	dir := filepath.Dir(real)
	if b.mayBeRoot(dir) {
		list = append(list, dir)
	}
	if up := filepath.Dir(dir); filepath.Base(dir) == "bin" && b.mayBeRoot(up) {
		list = append(list, up)
	}
	return list
}

// needs looks for all that one file needs.
func (s *search) needs(field string, from loaded) {
	dirs := from.rpath
	if from.runpath != "" {
		dirs = from.expand(from.runpath)
	} else if from.object.rpath != "" {
		dirs = union(from.expand(from.object.rpath), dirs)
	}
	if len(dirs) > maxFolders {
		s.overBudget = true
		return
	}
	for _, name := range from.needed {
		switch {
		case s.known[name]:
			continue
		case strings.Contains(name, "/"):
			s.known[name] = true
			s.named(field, "the library", name)
			continue
		}
		s.known[name] = true
		lib, found, outside := s.find(name, dirs)
		switch {
		case found && lib.kind != 0:
			if from.runpath == "" {
				lib.rpath = dirs // DT_RPATH, unlike DT_RUNPATH, is inherited
			}
			s.queue = append(s.queue, lib)
		case !found && outside != "" && !s.b.systemHas(name):
			s.elsewhere(field, "looks for "+shown(name)+" in "+shown(outside), filepath.Join(outside, name))
		}
		if s.lookups > maxLookups || s.read > maxRead {
			s.overBudget = true
			return
		}
	}
}

// named grants a file that the program names by its path.
func (s *search) named(field, what, path string) {
	if !filepath.IsAbs(path) {
		return // from the working directory, which is the box's own affair
	}
	lib, found, outside := s.library(libPath{path, filepath.Clean(path)})
	switch {
	case found && lib.kind != 0 && what != "the dynamic loader":
		s.queue = append(s.queue, lib)
	case !found && outside:
		s.elsewhere(field, "names "+what+" "+shown(path), path)
	}
}

// find grants the first library of a name in a list of folders, and returns it,
// empty when the box sees it already. Where it is not found, outside is a folder
// in which it was not looked for.
func (s *search) find(name string, dirs []libPath) (lib loaded, found bool, outside string) {
	for _, dir := range dirs {
		if !filepath.IsAbs(dir.host) {
			continue
		}
		lib, found, out := s.library(libPath{dir.host + "/" + name, filepath.Join(dir.box, name)})
		if found {
			return lib, true, ""
		}
		if out && outside == "" {
			outside = filepath.Clean(dir.host)
		}
	}
	return loaded{}, false, outside
}

// library grants one library. It is found but empty when the box sees it
// anyway, with whatever it needs, and outside when it is not for this program
// to bring: then it was not looked at.
func (s *search) library(p libPath) (lib loaded, found, outside bool) {
	s.lookups++
	if host, m, ok := s.b.view.hostPath(p.box); ok {
		t, err := walk(host)
		return lib, err == nil && (within(m.Source, t.real) || s.b.view.shows(t.real)) && isFile(t.real), false
	}
	t, err := walkFrom("/", p.host, s.own)
	if errors.Is(err, errOutside) {
		return lib, false, true
	}
	if err != nil || !isFile(t.real) || refusedSource(t.real) != "" {
		return lib, false, false
	}
	o, err := readELF(t.real)
	s.read += o.read
	if err != nil || !o.isLibrary() || o.machine != s.machine {
		return lib, false, false
	}
	if m, ok := s.b.view.covering(p.box); ok && m.Kind != jail.MountTmpfs {
		return lib, false, false
	}
	s.b.view.put(jail.Mount{Kind: jail.MountRO, Source: t.real, Target: p.box})
	return loaded{object: o, at: libPath{t.real, p.box}}, true, false
}

// own says whether a path lies in a folder whose libraries the program brings,
// or on the way there.
func (s *search) own(path string) bool {
	if s.home == nil {
		s.home = s.b.libraryFolders(s.real)
	}
	return slices.ContainsFunc(s.home, func(dir string) bool { return within(dir, path) || within(path, dir) })
}

// systemHas says whether the system's own loader finds a library without being
// told where: by its cache, or in the folders that it looks in by itself.
func (b *builder) systemHas(name string) bool {
	if b.ldCache == "" {
		b.ldCache = "\x00" + string(readHead("/etc/ld.so.cache", maxRead))
	}
	if strings.Contains(b.ldCache, "\x00"+name+"\x00") || strings.Contains(b.ldCache, "/"+name+"\x00") {
		return true
	}
	return slices.ContainsFunc([]string{"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"}, func(dir string) bool {
		_, _, ok := b.view.hostPath(dir)
		return ok && isFile(dir+"/"+name)
	})
}

// expand reads a DT_RUNPATH: folders divided by colons, in which $ORIGIN is
// the folder of the file itself and $LIB lib or lib64.
func (l loaded) expand(list string) []libPath {
	var dirs []libPath
	for _, dir := range strings.Split(list, ":") {
		for _, lib := range [...]string{"lib", "lib64"} {
			put := func(file string) string {
				origin := filepath.Dir(file)
				return strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin, "${LIB}", lib, "$LIB", lib).Replace(dir)
			}
			dirs = union(dirs, []libPath{{put(l.at.host), put(l.at.box)}})
			if !strings.Contains(dir, "LIB") {
				break
			}
		}
		if len(dirs) > maxFolders {
			break // too many already
		}
	}
	return dirs
}

// union is a list of folders with those of another that it does not have.
func union(dirs, more []libPath) []libPath {
	out := slices.Clone(dirs)
	for _, d := range more {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}
