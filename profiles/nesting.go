package profiles

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// checkNesting reports mounts that lie in another one which has no place for
// them: the box never creates anything in a granted tree. It returns the mounts
// that have no fault, for package jail to look at.
func (b *builder) checkNesting() []jail.Mount {
	bad := b.checkMadeUp()
	for _, m := range b.view.mounts {
		outer, ok := b.view.covering(filepath.Dir(m.Target))
		if !ok || outer.Kind == jail.MountTmpfs {
			continue
		}
		from := b.origin(m.Target)
		if !fromHost(outer) {
			b.fault(from.field, from.shown, "a path that is not below a file; "+shellword.Quote(outer.Target)+" is "+describe(outer))
			bad[m.Target] = true
			continue
		}
		if isMade(m) || lacking(outer) || lacking(m) && m.Kind == jail.MountSystem {
			continue // a part of the system that this host lacks, or a grant that package jail reports
		}
		point := filepath.Join(outer.Source, m.Target[len(outer.Target):])
		if t, err := walk(point); err != nil || t.real != point || isDir(point) != wantsDir(m) {
			kind := "file"
			if wantsDir(m) {
				kind = "folder"
			}
			b.fault(from.field, from.shown, "a BOX that exists as a "+kind+" in "+shellword.Quote(outer.Source)+
				", which is granted around it; nothing is created in a granted tree")
			bad[m.Target] = true
		}
	}
	if len(bad) == 0 {
		return b.view.mounts
	}
	return slices.DeleteFunc(slices.Clone(b.view.mounts), func(m jail.Mount) bool { return bad[m.Target] })
}

// checkMadeUp reports grants of folders in which the profile makes up files, such
// as /etc with its passwd, and returns where they are.
func (b *builder) checkMadeUp() (bad map[string]bool) {
	bad = map[string]bool{}
	inside := map[string][]string{} // target of the folder -> those files
	for _, m := range b.view.mounts {
		if outer, ok := b.view.covering(filepath.Dir(m.Target)); ok && isMade(m) && fromHost(outer) {
			inside[outer.Target] = append(inside[outer.Target], m.Target)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(inside)) {
		from := b.origin(target)
		b.fault(from.field, from.shown, "files and folders below "+shellword.Quote(target)+" by themselves, or another BOX, as in "+
			shellword.Quote(strings.TrimSuffix(from.shown, ":"+target)+":/host"+target)+": the box has "+strings.Join(inside[target], ", ")+" of its own there")
		bad[target] = true
	}
	return bad
}

// isMade says whether a mount is a thing that the box makes itself.
func isMade(m jail.Mount) bool { return m.Kind == jail.MountFile || m.Kind == jail.MountLink }

// exists says whether there is anything at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lacking says whether a mount's source is not there.
func lacking(m jail.Mount) bool {
	if !fromHost(m) {
		return false
	}
	_, err := os.Lstat(m.Source)
	return err != nil
}

// wantsDir says whether a mount needs a folder to be mounted on.
func wantsDir(m jail.Mount) bool {
	switch m.Kind {
	case jail.MountTmpfs:
		return true
	case jail.MountFile, jail.MountLink:
		return false
	}
	return isDir(m.Source)
}
