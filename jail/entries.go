package jail

import (
	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// What a box's tree is made of: which of it is ours, and how each thing is made.

// small says whether a view is so small that what is ours of it has room in a plan's
// first part.
func (v view) small() bool {
	const most, mostText = 48, 8 << 10
	text := 0
	for _, e := range v.entries {
		text += len(e.text) + 2*len(e.path)
	}
	return len(v.entries) <= most && text <= mostText
}

// theirs says whether e is a tree of the host's, or stands in one.
func (e entry) theirs() bool { return e.kind == entryMount && (e.nested || e.mount.Kind != MountTmpfs) }

// entry makes one thing of the view.
func (b *builder) entry(root cell, e entry, off ablation.Set) {
	switch e.kind {
	case entryDir:
		b.mkdir(root, e.path, 0o755)
	case entryLink:
		b.call(unix.SYS_SYMLINKAT, "symlinkat", e.path, b.str(e.text), root.arg(), b.rel(e.path)).wants(0)
	case entryFile:
		b.file(root, e.path, e.text)
	case entryMount:
		if e.mount.Kind == MountTmpfs {
			b.mkdirOnce(root, e)
			fd := b.tmpfs(e.path, e.mount.Size, 0, 0o1777)
			b.attachAt(fd, root, e)
			b.drop(fd, e.path)
			return
		}
		b.hostMount(root, e, off)
	}
}

// mkdirOnce makes the mount point of e, unless e lies where one exists.
func (b *builder) mkdirOnce(root cell, e entry) {
	if e.nested {
		return
	}
	if e.mount.dir {
		b.mkdir(root, e.path, 0o755)
		return
	}
	b.call(unix.SYS_MKNODAT, "mknodat", e.path, root.arg(), b.rel(e.path), num(unix.S_IFREG|0o444, "S_IFREG|0444"), num(0)).wants(0)
}
