// Package withheld says which files and folders of the host's are offered to nobody: no hint
// names a flag that grants them, and no learned profile has them. It is decided here and
// nowhere else. Hints are typed by people who want a program to run, and a program can have
// anything hinted by asking for it.
//
// What is withheld from reading is what is private: homes as a whole and what is hidden in
// them (hidden.go), keys, tokens and what is called so (secrets.go, names.go), wherever
// variables of the caller's have them lie (variables.go). From writing it is also what
// somebody runs, loads or is set up by, outside of any box: what PATH leads to (programs.go)
// and what such programs load (loaded.go), what variables name (variables.go, relative.go),
// what git runs by its settings (git.go, repositories.go), and what is hidden or installed.
// A folder is withheld for anything in it (tree.go), and a path for any other by which the
// host shows the same (aliases.go). never.go has what nobody is granted, asked or not.
//
// Looks are what finds that out. All that is asked of one has a bound in time, because
// what it looks at, how deep it lies and which file system it is on is a stranger's choice;
// what was not looked at in time is withheld. Nothing here changes a file.
package withheld
