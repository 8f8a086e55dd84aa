package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/folder"
	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// When the box has a host uid of its own, that uid may not be able to reach
// what the caller grants (a script below a mode-0700 home), and nothing it
// writes should stay behind under its number. So the supervisor opens the
// trees as the caller, and hands them in as detached mounts, the caller's own
// ones idmapped: what belongs to the owner of the granted file or folder
// belongs to the box inside, and the other way round (mount_setattr(2),
// "ID-mapped mounts").

// openGrant returns a detached, sealed copy of m's tree.
func (r *run) openGrant(m *mount) (int, error) {
	fail := func(op string, err error, remedy string) (int, error) {
		return -1, &SetupError{Stage: StageGrants, Layer: LayerRoot, Operation: op, Operand: m.Source, Err: err, Remedy: remedy}
	}
	tree, err := openTree(m)
	if err != nil {
		return fail("open_tree", err, grantRemedy("open_tree", m.Source, err))
	}
	userns := -1
	if r.needsIDMap(m) {
		owner := m
		for owner.part != nil { // whoever owns a part, the box gets what it has of the whole
			owner = owner.part
		}
		if userns, err = r.idMapFor(owner.uid, owner.gid); err != nil {
			unix.Close(tree)
			return -1, err
		}
	}
	seal := func(userns int) error {
		attr := mountAttr(attributes(m.Kind, r.off), userns)
		return unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
	}
	err = seal(userns)
	if err != nil && userns >= 0 && (errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM)) {
		plain := seal(-1)
		switch {
		case plain != nil: // it was not about the owners
			err = plain
		case m.Kind == MountRO:
			// The file system cannot be idmapped. Read-only, the tree is then
			// seen as any other user sees it: less access, never more.
			r.plain = append(r.plain, m.Source)
			err = nil
		default:
			unix.Close(tree)
			return fail("mount_setattr", err, "its file system, or one mounted below it, cannot be idmapped, so root cannot grant it writable: run jail as the folder's owner, or grant a folder on another file system")
		}
	}
	if err != nil {
		unix.Close(tree)
		return fail("mount_setattr", err, grantRemedy("mount_setattr", m.Source, err))
	}
	return tree, nil
}

// grantRemedy is mountRemedy for root outside of the box, who may lack what it
// takes.
func grantRemedy(call, source string, err error) string {
	if !errors.Is(err, unix.EPERM) {
		return mountRemedy(call, source, err)
	}
	if names := missing(capability{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}); names != "" {
		return rootNeeds(names)
	}
	if filtered() {
		return mountRemedy(call, source, err)
	}
	return "the mounts here belong to another user namespace (start jail in a mount namespace of its own: unshare --mount), or " + forbidden(call) + orTier2
}

// openTree copies m's tree. What was checked is what is granted: no link that
// somebody puts into the path of a caller's grant since then is followed, and no
// other file stands for it.
func openTree(m *mount) (int, error) {
	const clone = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE
	if m.Kind == MountSystem || m.Kind == kindDevice {
		return unix.OpenTree(unix.AT_FDCWD, m.Source, clone)
	}
	place, err := folder.OpenPlace(unix.AT_FDCWD, m.Source, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(place)
	var st unix.Stat_t
	if err := unix.Fstat(place, &st); err != nil {
		return -1, err
	}
	if st.Dev != m.dev || st.Ino != m.ino || st.Uid != uint32(m.uid) || st.Gid != uint32(m.gid) {
		return -1, unix.ESTALE
	}
	return unix.OpenTree(place, "", clone|unix.AT_EMPTY_PATH)
}

// needsIDMap says whether m is only of use to the box under another owner. A
// plain file that everybody may read is not.
func (r *run) needsIDMap(m *mount) bool {
	if r.off.Has(ablation.OwnUID) {
		return false
	}
	const readableByAll, runnableByAll = 0o444, 0o555
	switch m.Kind {
	case MountRW:
		return true
	case MountRO:
		perm := m.mode & 0o777
		return m.dir || perm&0o444 != readableByAll || perm&0o111 != 0 && perm&0o555 != runnableByAll
	}
	return false
}

// idMapFor returns a user namespace that maps the owner uid:gid of a granted
// tree to the box's host ids. It is made by a process that only waits for a
// plan that never comes; one is enough for all trees of an owner.
func (r *run) idMapFor(uid, gid int) (int, error) {
	owner := [2]int{uid, gid}
	if fd, ok := r.idMaps[owner]; ok {
		return fd, nil
	}
	child := &child{pidfd: -1}
	defer child.discard()
	if err := child.begin(r); err != nil {
		return -1, err
	}
	if err := child.ask(pid1.Request{Namespaces: unix.CLONE_NEWUSER, Group: -1}); err != nil {
		return -1, err
	}
	if err := child.born(); err != nil {
		return -1, err
	}
	maps := idMaps{uid: mapLine(uid, r.hostUID), gid: mapLine(gid, r.hostUID)}
	if err := maps.write(child.pid); err != nil {
		return -1, err
	}
	path := "/proc/" + strconv.Itoa(child.pid) + "/ns/user"
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &SetupError{Stage: StageGrants, Layer: LayerRoot, Operation: "open", Operand: path, Err: err}
	}
	r.idMaps[owner] = fd
	r.kept.add(fd)
	return fd, nil
}

// idMaps are the maps of one user namespace.
type idMaps struct {
	uid, gid   string
	denyGroups bool // an unprivileged writer must give setgroups(2) up first (user_namespaces(7))
}

func mapLine(inside, outside int) string { return fmt.Sprintf("%d %d 1", inside, outside) }

func (m idMaps) write(pid int) error {
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	files := [][2]string{{"uid_map", m.uid}, {"gid_map", m.gid}}
	if m.denyGroups {
		files = append([][2]string{{"setgroups", "deny"}}, files...)
	}
	for _, f := range files {
		fd, err := unix.Open(dir+f[0], unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = writeAll(fd, []byte(f[1]))
			unix.Close(fd)
		}
		if err != nil {
			return &SetupError{Stage: StageIDMap, Layer: LayerNamespaces, Operation: "write", Operand: f[0], Err: err, Remedy: m.remedy(err)}
		}
	}
	return nil
}

// remedy is for maps that could not be written.
func (m idMaps) remedy(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "mount /proc: the box's id maps are written through it"
	}
	names := missing(capability{unix.CAP_SETUID, "CAP_SETUID"}, capability{unix.CAP_SETGID, "CAP_SETGID"})
	if !m.denyGroups && names != "" {
		return rootNeeds(names)
	}
	return "allow unprivileged user namespaces, or run inside one that maps this uid"
}
