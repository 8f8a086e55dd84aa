package jail

import (
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// kindDevice is a device node of the host's /dev in the box's.
const kindDevice MountKind = "device"

// devices are what every program may expect in /dev (and what none can do
// harm with).
var devices = []string{"null", "zero", "full", "random", "urandom"}

// tmpfs makes a detached tmpfs. Its pages count against the box's memory; its
// inodes are capped because their memory would otherwise be all there is to
// stop them.
func (b *builder) tmpfs(what string, size int64, inodes int, mode uint32) cell {
	if inodes == 0 {
		inodes = tmpfsInodes(size)
	}
	return b.filesystem("tmpfs", what, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV,
		"size", strconv.FormatInt(size, 10), "nr_inodes", strconv.Itoa(inodes), "mode", strconv.FormatUint(uint64(mode), 8))
}

// tmpfsInodes is how many files and folders a tmpfs of a size has room for.
func tmpfsInodes(size int64) int { return int(min(max(size>>10, 1<<10), 1<<20)) }

// proc shows the box's own processes and nothing of the host: no meminfo, no
// sys, no kernel log, and no process of another uid.
func (b *builder) proc(off ablation.Set) {
	options := []string{"subset", "pid", "hidepid", "invisible"}
	if off.Has(ablation.ProcSubset) {
		options = nil
	}
	fd := b.filesystem("proc", "/proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_RDONLY, options...)
	b.attach(fd, b.root, "/proc", "/proc")
}

// hostProc is for a box without a pid namespace: only the host's own shows the
// host's processes.
func (b *builder) hostProc(off ablation.Set) {
	b.hostMount(b.root, entry{kind: entryMount, path: "/proc", nested: true, mount: &mount{Mount: Mount{Kind: MountSystem, Source: "/proc"}, dir: true}}, off)
}

func (b *builder) devLinks() {
	for _, l := range [][2]string{{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}} {
		b.call(unix.SYS_SYMLINKAT, "symlinkat", "/dev/"+l[0], b.str(l[1]), b.root.arg(), b.rel("/dev/"+l[0])).wants(0)
	}
}

func (b *builder) dev(off ablation.Set) {
	for _, d := range b.devices() {
		source := "/dev/" + d
		if d == console {
			source = b.shape.slave
		}
		b.hostMount(b.root, entry{kind: entryMount, path: "/dev/" + d, mount: &mount{Mount: Mount{Kind: kindDevice, Source: source}, path: "/dev/" + d}}, off)
	}
}

// filesystem makes a new, detached file system with key-value options.
func (b *builder) filesystem(kind, what string, attr uint64, options ...string) cell {
	context, fd := b.cell(kind+" context"), b.cell(kind)
	b.call(unix.SYS_FSOPEN, "fsopen", what, b.str(kind), num(unix.FSOPEN_CLOEXEC, "FSOPEN_CLOEXEC")).keep(context)
	for i := 0; i+1 < len(options); i += 2 {
		b.call(unix.SYS_FSCONFIG, "fsconfig", what+": "+options[i]+"="+options[i+1], context.arg(), num(unix.FSCONFIG_SET_STRING, "FSCONFIG_SET_STRING"), b.str(options[i]), b.str(options[i+1]), num(0)).wants(0)
	}
	b.call(unix.SYS_FSCONFIG, "fsconfig", what, context.arg(), num(unix.FSCONFIG_CMD_CREATE, "FSCONFIG_CMD_CREATE"), num(0), num(0), num(0)).wants(0)
	defer b.drop(context, kind+" context")
	b.call(unix.SYS_FSMOUNT, "fsmount", what, context.arg(), num(unix.FSMOUNT_CLOEXEC, "FSMOUNT_CLOEXEC"), num(attr, attrText(attr))).keep(fd)
	return fd
}

func (b *builder) mkdir(root cell, path string, mode uint32) {
	b.call(unix.SYS_MKDIRAT, "mkdirat", path, root.arg(), b.rel(path), num(mode, "0"+strconv.FormatUint(uint64(mode), 8))).wants(0)
}

// file makes a small file of ours. What it says about the box's ids is only
// known here.
func (b *builder) file(root cell, path, content string) {
	content = b.host.filledIn(content)
	fd := b.cell(path)
	b.call(unix.SYS_OPENAT, "openat", path, root.arg(), b.rel(path), num(unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, "O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC"), num(0o444, "0444")).keep(fd)
	b.call(unix.SYS_WRITE, "write", path, fd.arg(), b.str(content), num(len(content))).wants(int32(len(content)))
	b.call(unix.SYS_CLOSE, "close", path, fd.arg()).wants(0)
}
