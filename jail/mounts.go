package jail

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// The devices of a box with a terminal of its own. console is where it is found
// by name: programs that ask ttyname(3) look for its device in /dev.
const (
	ownTTY  = "tty"
	console = "console"
)

// devices are the names of those of this box.
func (p *Plan) devices() []string {
	if p.shape.tty {
		return append(slices.Clone(devices), ownTTY, console)
	}
	return devices
}

// attributes are what a mount of each kind is sealed with. A device on a
// read-only mount can be written to, but its node not changed.
func attributes(kind MountKind, off ablation.Set) uint64 {
	attr := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	switch kind {
	case MountSystem, MountRO:
		attr |= unix.MOUNT_ATTR_RDONLY
	case kindDevice:
		attr = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
	}
	for wall, bit := range map[ablation.Wall]uint64{
		ablation.ReadOnly: unix.MOUNT_ATTR_RDONLY, ablation.NoSUID: unix.MOUNT_ATTR_NOSUID, ablation.NoDev: unix.MOUNT_ATTR_NODEV,
	} {
		if off.Has(wall) {
			attr &^= bit
		}
	}
	return attr
}

// mountAttr is struct mount_attr of mount_setattr(2). Every tree is made
// private, or what the host mounts below it later would show up in the box
// without our attributes.
func mountAttr(attr uint64, usernsFD int) unix.MountAttr {
	a := unix.MountAttr{Attr_set: attr, Propagation: unix.MS_PRIVATE}
	if usernsFD >= 0 {
		a.Attr_set |= unix.MOUNT_ATTR_IDMAP
		a.Userns_fd = uint64(usernsFD)
	}
	return a
}

// ground makes the new root, with what in it does not come from the host, and enters it
// where nothing is going to be looked up in the host's tree: as root all that is
// granted is handed in by descriptor. b.old then holds the host's root, for the
// Landlock canary; nothing else refers to the host's tree afterwards.
func (b *builder) ground(off ablation.Set) {
	b.old = b.cell("host root")
	b.call(unix.SYS_OPENAT, "openat", "/", num(unix.AT_FDCWD, "AT_FDCWD"), b.str("/"), num(unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, "O_PATH|O_DIRECTORY|O_CLOEXEC"), num(0)).keep(b.old)
	if off.Has(ablation.Root) {
		return
	}
	b.root = b.tmpfs("/", 16<<20, len(b.view.entries)+256, 0o755)
	b.attach(b.root, b.old, "", "/")
	b.call(unix.SYS_FCHDIR, "fchdir", "new root", b.root.arg()).wants(0)
	for _, dir := range []string{"proc", "dev"} {
		b.mkdir(b.root, "/"+dir, 0o755)
	}
	if !off.Has(ablation.PIDs) {
		b.proc(off) // which the kernel gives to those who see another one
	}
	b.devLinks()
	if b.view.small() {
		for _, e := range b.view.entries {
			if !e.theirs() {
				b.entry(b.root, e, off)
			}
		}
	}
	if b.host.ownUID {
		b.enter()
	}
}

// mounts makes the rest of the new root, and enters it unless that is done. Mount
// points are made on our own tmpfs only, through descriptors of it
// (CVE-2026-87766).
func (b *builder) mounts(off ablation.Set) {
	if off.Has(ablation.PIDs) {
		b.hostProc(off)
	}
	b.dev(off)
	small := b.view.small()
	for _, e := range b.view.entries {
		if !small || e.theirs() { // else it was made with the ground
			b.entry(b.root, e, off)
		}
	}
	// Itself only: what is mounted in it has been sealed already, each in its way.
	b.seal(b.root, "/", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, unix.AT_EMPTY_PATH, "AT_EMPTY_PATH")
	if !b.host.ownUID {
		b.enter()
	}
}

// enter makes the new root the root, and leaves the host's.
func (b *builder) enter() {
	b.at(b.list, StagePivot, LayerRoot)
	here := b.str(".")
	b.call(unix.SYS_PIVOT_ROOT, "pivot_root", ".", here, here).wants(0)
	b.call(unix.SYS_UMOUNT2, "umount2", "host root", here, num(unix.MNT_DETACH, "MNT_DETACH")).wants(0)
	b.call(unix.SYS_CHDIR, "chdir", "/", b.str("/")).wants(0)
}

// hostMount brings a host tree in: handed in as a descriptor when the
// supervisor opened it as root, else opened here as the caller.
func (b *builder) hostMount(root cell, e entry, off ablation.Set) {
	b.mkdirOnce(root, e)
	tree := b.tree(e.mount, off)
	b.attachAt(tree, root, e)
	b.drop(tree, e.path)
}

// attachAt mounts tree where e says.
func (b *builder) attachAt(tree, root cell, e entry) {
	if !e.nested {
		b.attach(tree, root, e.path, e.path)
		return
	}
	// The mount point lies in a tree that somebody else may write to, so it
	// is looked up without following anything and then used by descriptor.
	point := b.lookup(root.arg(), b.rel(e.path), unix.RESOLVE_BENEATH, e.path)
	b.attach(tree, point, "", e.path)
	b.drop(point, "mount point")
}

// lookup opens a path for use as a place, without following any link.
func (b *builder) lookup(at, path arg, resolve uint64, what string) cell {
	place := b.cell(what)
	b.lookupInto(place, at, path, resolve, what)
	return place
}

func (b *builder) lookupInto(place cell, at, path arg, resolve uint64, what string) {
	text := "RESOLVE_NO_SYMLINKS|RESOLVE_NO_MAGICLINKS"
	if resolve != 0 {
		text += "|RESOLVE_BENEATH"
	}
	how := b.words(unix.O_PATH|unix.O_CLOEXEC, 0, resolve|unix.RESOLVE_NO_SYMLINKS|unix.RESOLVE_NO_MAGICLINKS)
	b.call(unix.SYS_OPENAT2, "openat2", what, at, path, num(how, "{O_PATH|O_CLOEXEC, "+text+"}"), num(24)).keep(place)
}

// tree is the cell with a detached, sealed copy of a host tree.
func (b *builder) tree(m *mount, off ablation.Set) cell {
	if b.host.ownUID {
		return b.inherit(inherit{kind: inheritMount, source: m}, "handed in: "+m.Source)
	}
	tree := b.cell(m.Source)
	flags, text := unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE, "OPEN_TREE_CLONE|OPEN_TREE_CLOEXEC|AT_RECURSIVE"
	if m.Kind == MountSystem || m.Kind == kindDevice {
		b.call(unix.SYS_OPEN_TREE, "open_tree", m.Source, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(m.Source), num(flags, text)).keep(tree)
	} else {
		// What was checked is what is granted: no link that another box puts
		// into the path since then is followed.
		point := b.lookup(num(unix.AT_FDCWD, "AT_FDCWD"), b.str(m.Source), 0, m.Source)
		b.call(unix.SYS_OPEN_TREE, "open_tree", m.Source, point.arg(), b.str(""), num(flags|unix.AT_EMPTY_PATH, text+"|AT_EMPTY_PATH")).keep(tree)
		b.drop(point, m.Source)
	}
	b.seal(tree, m.Source, attributes(m.Kind, off), unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, "AT_EMPTY_PATH|AT_RECURSIVE")
	return tree
}

// seal sets a tree's attributes and makes it private.
func (b *builder) seal(tree cell, what string, attr uint64, flags int, flagsText string) {
	a := mountAttr(attr, -1)
	b.call(unix.SYS_MOUNT_SETATTR, "mount_setattr", what, tree.arg(), b.str(""), num(flags, flagsText),
		num(b.words(a.Attr_set, a.Attr_clr, a.Propagation, a.Userns_fd), attrText(attr)), num(32)).wants(0)
}

// attach mounts tree on path below at, or on at itself if path is empty.
func (b *builder) attach(tree, at cell, path, what string) {
	flags, text := unix.MOVE_MOUNT_F_EMPTY_PATH, "MOVE_MOUNT_F_EMPTY_PATH"
	to := b.str("")
	if path == "" {
		flags, text = flags|unix.MOVE_MOUNT_T_EMPTY_PATH, text+"|MOVE_MOUNT_T_EMPTY_PATH"
	} else {
		to = b.rel(path)
	}
	b.call(unix.SYS_MOVE_MOUNT, "move_mount", what, tree.arg(), b.str(""), at.arg(), to, num(flags, text)).wants(0)
}

// drop closes what is attached and not needed by descriptor any more: there may
// be more grants than open files.
func (b *builder) drop(c cell, what string) {
	b.call(unix.SYS_CLOSE, "close", what, c.arg()).wants(0)
}

// rel is an absolute path of the box as seen from its root's descriptor.
func (b *builder) rel(path string) arg { return b.str(strings.TrimPrefix(path, "/")) }

// attrText names mount attributes.
func attrText(attr uint64) string {
	var names []string
	for _, a := range []struct {
		bit  uint64
		name string
	}{{unix.MOUNT_ATTR_RDONLY, "RDONLY"}, {unix.MOUNT_ATTR_NOSUID, "NOSUID"}, {unix.MOUNT_ATTR_NODEV, "NODEV"}, {unix.MOUNT_ATTR_NOEXEC, "NOEXEC"}} {
		if attr&a.bit != 0 {
			names = append(names, "MOUNT_ATTR_"+a.name)
		}
	}
	return "{" + strings.Join(names, "|") + "}"
}
