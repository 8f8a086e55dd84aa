package attacks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// descriptors: what the caller has open, and what the launcher has.
func descriptors() []Row {
	return []Row{
		{
			name: "read the caller's open file", source: "runc CVE-2024-21626; measured on bubblewrap",
			attack: func([]string) error { return all(showFD) },
			arena: func(a *Arena) {
				a.leak(a.hidden(), os.O_RDONLY)
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs},
		},
		{
			name: "open below the caller's folder", source: "runc CVE-2024-21626",
			attack: func(args []string) error {
				return each(func(fd int) error { return showAt(fd, args[0]) })
			},
			arena: func(a *Arena) {
				a.leak(filepath.Dir(a.hidden()), unix.O_PATH|os.O_RDONLY)
				a.Args("secret")
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock},
			root:  []ablation.Wall{ablation.OwnUID},
		},
		{
			name: "chdir into the caller's folder", source: "runc CVE-2024-21626",
			attack: func(args []string) error {
				return each(func(fd int) error {
					if err := os.Chdir(fdPath(fd)); err != nil {
						return err
					}
					return show(args[0])
				})
			},
			arena: func(a *Arena) {
				a.leak(filepath.Dir(a.hidden()), unix.O_PATH|os.O_RDONLY)
				a.Args("../hidden/secret")
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock},
			root:  []ablation.Wall{ablation.OwnUID},
		},
		{
			name: "walk up from a descriptor to the host's root", source: "runc CVE-2024-21626; open_by_handle_at \"shocker\" starts the same way",
			attack: func(args []string) error {
				return each(func(fd int) error { return showAt(fd, strings.Repeat("../", 40)+args[0]) })
			},
			arena: func(a *Arena) {
				a.Args(strings.TrimPrefix(a.hidden(), "/"))
				a.leak("/", unix.O_PATH|os.O_RDONLY)
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock},
			root:  []ablation.Wall{ablation.OwnUID},
		},
		{
			name: "start in a folder that is a descriptor", source: "runc CVE-2024-21626: process.cwd /proc/self/fd/N",
			attack: func(args []string) error { return show(args[0]) },
			arena: func(a *Arena) {
				a.leak(filepath.Dir(a.hidden()), unix.O_PATH|os.O_RDONLY)
				a.Spec.Dir = fdPath(leakedFD)
				a.Args("secret")
				a.leaksSecret()
			},
			refused: true,
			why:     "the folder is looked up without magic links; what else would stop it is in the rows above",
		},
		{
			name: "write the caller's record", source: "playground markers on stdout; isolate's error pipe",
			attack: func([]string) error {
				return all(func(fd int) error {
					_, err := unix.Write(fd, []byte("FORGED"))
					return err
				})
			},
			arena: func(a *Arena) {
				record := a.File("record", "")
				a.leak(record, os.O_WRONLY)
				a.changes(record)
			},
			walls: []ablation.Wall{ablation.CloseFDs},
		},
		{
			name: "forge the word that ends the run", source: "isolate's and runc's error pipes",
			attack: forgeStatus,
			arena: func(a *Arena) {
				word := a.File("status", "")
				a.leak(word, os.O_WRONLY)
				a.effect = func(got Answer) error {
					// A forged success, or a run that is given up as broken.
					if a.where.boxed() && got.Result.Reason != jail.ReasonExecutionFailed || !a.where.boxed() && a.Read(word) != "" {
						return nil
					}
					return errors.New("the record tells how the program really ended")
				}
			},
			walls: []ablation.Wall{ablation.CloseFDs},
		},
		{
			name: "truncate the caller's stdout file", source: "measured on bubblewrap: redirected output is the program's to rewrite",
			attack: func([]string) error { return os.Stdout.Truncate(0) },
			arena:  stdoutFile,
			walls:  []ablation.Wall{ablation.Stdio},
		},
		{
			name: "reopen the caller's stdout file", source: "measured on bubblewrap: /proc/self/fd/1",
			attack: func([]string) error { return overwrite(fdPath(1), os.O_TRUNC) },
			arena:  stdoutFile,
			walls:  []ablation.Wall{ablation.Stdio, ablation.Landlock},
			root:   []ablation.Wall{ablation.OwnUID},
		},
		{
			name: "reopen the caller's stdin file for writing", source: "measured on bubblewrap: /proc/self/fd/0",
			attack: func([]string) error { return overwrite(fdPath(0), 0) },
			arena: func(a *Arena) {
				input := a.File("input", "what the caller feeds in")
				a.stdin = a.open(input, os.O_RDONLY)
				a.stdio = true
				a.changes(input)
			},
			walls: []ablation.Wall{ablation.Stdio, ablation.Landlock},
			root:  []ablation.Wall{ablation.OwnUID},
		},
	}
}

// forgeStatus writes a raw wait status of 0, in the room of the words with
// which PID 1 ends a run, to everything that is open, and fails itself.
func forgeStatus([]string) error {
	all(func(fd int) error {
		_, err := unix.Write(fd, make([]byte, 248))
		return err
	})
	return errors.New("ends with a failure")
}

// stdoutFile connects the program to a file of the caller's that has a line in
// it already.
func stdoutFile(a *Arena) {
	const line = "what was written before\n"
	log := a.File("log", line)
	a.stdout = a.open(log, os.O_RDWR|os.O_APPEND)
	a.stdio = true
	a.effect = func(Answer) error {
		if !strings.HasPrefix(a.Read(log), line) {
			return nil
		}
		return errors.New("the line is still there")
	}
}
