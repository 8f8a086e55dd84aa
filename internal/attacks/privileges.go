package attacks

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// privileges: programs of the host's that give more than their caller has.
func privileges() []Row {
	return []Row{
		{
			name: "a program with capabilities", source: "CVE-2022-24769: inheritable capabilities; capabilities(7), file capabilities; they count in user namespaces, too",
			attack: gainByExec,
			arena: func(a *Arena) {
				path := a.program()
				// struct vfs_cap_data: revision 2, effective, CAP_NET_ADMIN.
				attr := binary.LittleEndian.AppendUint32(nil, 0x02000001)
				attr = binary.LittleEndian.AppendUint32(attr, 1<<unix.CAP_NET_ADMIN)
				attr = append(attr, make([]byte, 12)...)
				if err := unix.Setxattr(path, "security.capability", attr, 0); err != nil {
					a.t.Fatal(err)
				}
				a.Args(path)
			},
			walls: []ablation.Wall{ablation.NoSUID, ablation.NoNewPrivs, ablation.Caps},
			// Without no_new_privs the kernel attaches neither for a process
			// that has no capabilities.
			with: []ablation.Wall{ablation.Landlock, ablation.Seccomp},
			skip: func(who Role) Reason {
				if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err == nil && set == 1 {
					return gainless
				}
				return needsRootToPlant(who)
			},
		},
		{
			name: "a setuid program", source: "execve(2); bubblewrap CVE-2026-41163, firejail's family",
			attack: func(args []string) error {
				if len(args) > 1 {
					if os.Geteuid() != 0 {
						return errors.New("it runs as its caller")
					}
					return nil
				}
				return unix.Exec(args[0], []string{attackerName, os.Args[1], args[0], "again"}, nil)
			},
			arena: func(a *Arena) {
				path := a.program()
				if err := os.Chmod(path, os.ModeSetuid|0o755); err != nil {
					a.t.Fatal(err)
				}
				a.Args(path)
			},
			why:  "the box's user namespace maps one id, and the kernel takes no other from a file",
			skip: needsRootToPlant,
		},
		{
			name: "the caller's supplementary groups", source: "firedancer#9172; measured on bubblewrap",
			attack: func(args []string) error { return show(args[0]) },
			arena: func(a *Arena) {
				const group, stranger = 64399, 64398
				a.groups = []uint32{group}
				a.ro()
				path := a.File("ro/file", a.secret)
				if err := errors.Join(os.Chown(path, stranger, group), os.Chmod(path, 0o040)); err != nil {
					a.t.Fatal(err)
				}
				a.Args(path)
				a.leaksSecret()
			},
			why: "PID 1 gives all of them up before it does anything else",
			skip: func(who Role) Reason {
				if !who.Root {
					return keptGroups
				}
				return ""
			},
		},
	}
}

// program is a copy of the attacker that belongs to root, granted read-only. What
// it will be given is for nobody else on the host: the folder keeps them out.
func (a *Arena) program() string {
	a.t.Helper()
	path := filepath.Join(a.Folder("bin"), attackerName)
	if err := copyFile(path, a.role.site.attacker, 0o755); err != nil {
		a.t.Fatal(err)
	}
	if a.role.Tier != jail.Tier2 { // whose boxes need the path
		if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
			a.t.Fatal(err)
		}
	}
	a.view("ro", path)
	return path
}

func needsRootToPlant(who Role) Reason {
	switch {
	case os.Getuid() != 0:
		return NotRoot
	case who.Careful && who.Tier == jail.Tier2:
		return exposes
	}
	return ""
}

// gainByExec gives up every capability and tries to come by others by
// executing a file that has some.
func gainByExec(args []string) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if len(args) == 1 {
		if err := unix.Capset(&header, &data[0]); err != nil {
			return err
		}
		return unix.Exec(args[0], []string{attackerName, os.Args[1], args[0], "again"}, nil)
	}
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	if data[0].Effective&(1<<unix.CAP_NET_ADMIN) == 0 {
		return errors.New("nothing was gained")
	}
	return nil
}
