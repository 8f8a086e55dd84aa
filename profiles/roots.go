package profiles

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mayBeRoot says whether a real folder may be granted as a whole because of a
// program in it. Never granted so are / and what lies right below it, and
// people's homes with all that hold one. Whose home a folder is says the user
// database; HOME only adds to it, since it may be unset, or root's under sudo.
func (b *builder) mayBeRoot(dir string) bool {
	up := filepath.Dir(dir)
	if dir == "/" || up == "/" || filepath.Base(up) == "home" {
		return false // a folder right in one called home is somebody's, whatever database knows them
	}
	if slices.ContainsFunc(b.peoplesHomes(), func(home string) bool { return within(dir, home) }) {
		return false
	}
	// What homes have, for those that no file on this machine lists.
	return !slices.ContainsFunc([]string{".ssh", ".gnupg", ".profile", ".bashrc"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// peoplesHomes lists all homes, as named and without links.
func (b *builder) peoplesHomes() []string {
	if b.homes != nil {
		return b.homes
	}
	b.homes = []string{}
	add := func(home string, follow bool) {
		if !filepath.IsAbs(home) {
			return
		}
		b.homes = append(b.homes, filepath.Clean(home))
		if !follow {
			return
		}
		if t, err := walk(home); err == nil && t.real != b.homes[len(b.homes)-1] {
			b.homes = append(b.homes, t.real)
		}
	}
	add(b.h.Home, true)
	for line := range strings.SplitSeq(string(readHead(or(b.h.passwd, "/etc/passwd"), maxPasswd)), "\n") {
		// See passwd(5). The homes of the system's own users are as they say.
		if f := strings.Split(line, ":"); len(f) > 5 {
			uid, err := strconv.Atoi(f[2])
			add(f[5], err == nil && (uid == 0 || uid >= firstPerson))
		}
	}
	return b.homes
}

const (
	// maxPasswd bounds how much of the user database is read, in bytes.
	maxPasswd = 4 << 20
	// firstPerson is the lowest uid that any distribution gives to a person.
	firstPerson = 500
)

// isPython says whether a program is bin/NAME of a Python installation: os.py
// is what Python itself knows its library by (its Modules/getpath.py).
func isPython(program string) bool {
	dir := filepath.Dir(program)
	if filepath.Base(dir) != "bin" {
		return false
	}
	for _, lib := range [...]string{"lib", "lib64"} {
		lib = filepath.Join(filepath.Dir(dir), lib)
		entries, _ := os.ReadDir(lib)
		for _, e := range entries {
			name := e.Name()
			if (strings.HasPrefix(name, "python3") || strings.HasPrefix(name, "pypy3")) && isFile(filepath.Join(lib, name, "os.py")) {
				return true
			}
		}
	}
	return false
}

// sameProgram says whether a real file's name is that of the interpreter that
// was looked for, with a version perhaps: python3 may be python3.11 or pypy3.10,
// and nothing that has nothing to do with it.
func sameProgram(wanted, real string) bool {
	stem := func(name string) string { return strings.TrimRight(name, "0123456789.-_") }
	a, b := stem(wanted), stem(real)
	if a == "python" && (b == "pypy" || b == "graalpy") {
		return true
	}
	return a == b && a != "" || min(len(a), len(b)) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
