package profiles

import (
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// maxObjects bounds how many libraries one program may bring with it.
const maxObjects = 256

// A loaded file is known to the host by its real path, and to the box by the
// path at which it is seen: there, $ORIGIN is the folder of the latter.
type loaded struct {
	object
	at    libPath
	rpath []libPath // inherited
}

// A libPath is a file or folder on the host and in the box.
type libPath struct{ host, box string }

// libraries finds the shared libraries of a program that is granted by itself,
// as ld.so(8) would: in the folders that DT_RPATH or DT_RUNPATH name, where the
// system's own folders don't have them. Each is granted as a single file, and
// so is a dynamic loader of the program's own.
//
// The program may be what a stranger wrote, and with it the names in it. So
// only what really is a shared library for the same processor is granted: no
// text, no key, no program.
func (b *builder) libraries(real, box string) {
	main, err := readELF(real)
	if err != nil {
		return
	}
	if filepath.IsAbs(main.interp) {
		b.library(libPath{main.interp, filepath.Clean(main.interp)}, main.machine)
	}
	queue := []loaded{{object: main, at: libPath{real, box}}}
	for count := 0; len(queue) > 0 && count < maxObjects; count++ {
		from := queue[0]
		queue = queue[1:]
		dirs := from.rpath
		if from.runpath != "" {
			dirs = from.expand(from.runpath)
		} else if from.object.rpath != "" {
			dirs = append(from.expand(from.object.rpath), dirs...)
		}
		for _, name := range from.needed {
			next, ok := b.find(name, dirs, main.machine)
			if !ok {
				continue
			}
			if from.runpath == "" {
				next.rpath = dirs // DT_RPATH, unlike DT_RUNPATH, is inherited
			}
			queue = append(queue, next)
		}
	}
}

// find grants the first library of a name in a list of folders, and returns
// it unless the box saw it already.
func (b *builder) find(name string, dirs []libPath, machine uint16) (loaded, bool) {
	if strings.Contains(name, "/") {
		dirs, name = []libPath{{filepath.Dir(name), filepath.Dir(name)}}, filepath.Base(name)
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir.host) {
			continue
		}
		lib, found := b.library(libPath{dir.host + "/" + name, filepath.Join(dir.box, name)}, machine)
		if found {
			return lib, lib.kind != 0
		}
	}
	return loaded{}, false
}

// library grants one library. It is found but empty when the box sees it
// anyway, with whatever it needs.
func (b *builder) library(p libPath, machine uint16) (lib loaded, found bool) {
	if host, _, ok := b.view.hostPath(p.box); ok {
		return lib, isFile(host)
	}
	t, err := walk(p.host)
	if err != nil || !isFile(t.real) || refusedSource(t.real) != "" {
		return lib, false
	}
	o, err := readELF(t.real)
	if err != nil || o.kind != etDyn || o.machine != machine {
		return lib, false
	}
	if m, ok := b.view.covering(p.box); ok && m.Kind != jail.MountTmpfs {
		return lib, false
	}
	b.view.put(jail.Mount{Kind: jail.MountRO, Source: t.real, Target: p.box})
	return loaded{object: o, at: libPath{t.real, p.box}}, true
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
			dirs = append(dirs, libPath{put(l.at.host), put(l.at.box)})
			if !strings.Contains(dir, "LIB") {
				break
			}
		}
	}
	return dirs
}
