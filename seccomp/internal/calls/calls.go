// Package calls holds the kernel's own names of system calls, by number, for
// the architectures that jail runs on. It is a leaf: the filters' compiler, the
// rules that are prepended at start, and the tests all read the same tables.
//
// The tables follow arch/x86/entry/syscalls/syscall_64.tbl and
// scripts/syscall.tbl of Linux 7.2. Numbers never change and are never given
// out twice, so an older kernel merely lacks the last ones.
package calls

// A Table is the names of one architecture's system calls; the index is the
// number. A number without a name is empty.
type Table []string

// Name is what the kernel calls number nr, or "" if it has no such call.
func (t Table) Name(nr int) string {
	if nr < 0 || nr >= len(t) {
		return ""
	}
	return t[nr]
}

// Number finds a call by its exact name.
func (t Table) Number(name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	for nr, n := range t {
		if n == name {
			return nr, true
		}
	}
	return 0, false
}
