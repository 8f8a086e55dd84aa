package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// How much is copied for a trial.
const (
	mostCopied      = 64 << 20 // bytes
	mostCopiedFiles = 4096
)

var errTooMuch = errors.New("there is too much to copy")

// withCopies is a Spec whose program writes to copies in dir, and these by where the box
// has them.
func withCopies(spec jail.Spec, dir string) (jail.Spec, map[string]string, error) {
	c, copies := copier{mostCopied, mostCopiedFiles}, map[string]string{}
	for i, m := range spec.View {
		if m.Kind != jail.MountRW {
			continue
		}
		if spec.Tier == jail.Tier2 { // which shows the host's own files, where they are
			return spec, nil, errors.New("there are no mounts")
		}
		to := filepath.Join(dir, strconv.Itoa(i))
		if err := c.tree(m.Source, to); err != nil {
			return spec, nil, err
		}
		spec.View[i].Source, copies[m.Target] = to, to
	}
	return spec, copies, nil
}

// A copier copies as much as there is room for.
type copier struct {
	bytes int64
	files int
}

// tree copies a file or folder. What lies in it is the program's word: no link is followed.
func (c *copier) tree(from, to string) error {
	root, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer root.Close()
	base := filepath.Base(from)
	type made struct {
		at   string
		info fs.FileInfo
	}
	var folders []made
	err = fs.WalkDir(root.FS(), base, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if c.files--; c.files < 0 {
			return errTooMuch
		}
		at := to + p[len(base):]
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch info.Mode().Type() {
		case fs.ModeDir:
			folders = append(folders, made{at, info})
			return os.Mkdir(at, 0o700)
		case fs.ModeSymlink:
			text, err := root.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(text, at)
		case 0:
			if err := c.file(root, p, at); err != nil {
				return err
			}
			return sameAs(at, info)
		}
		return errors.New("there is a socket or device")
	})
	for i := len(folders) - 1; err == nil && i >= 0; i-- { // their times change as they are filled
		err = sameAs(folders[i].at, folders[i].info)
	}
	return err
}

func (c *copier) file(root *os.Root, p, to string) error {
	in, err := root.OpenFile(p, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, c.bytes+1))
	if c.bytes -= n; c.bytes < 0 {
		err = errTooMuch
	}
	return errors.Join(err, out.Close())
}

// sameAs gives a copy the owner, mode and time of what it is of. The owner is somebody
// else's to give, who then does not own what is copied either.
func sameAs(at string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		os.Lchown(at, int(st.Uid), int(st.Gid))
	}
	return errors.Join(os.Chmod(at, info.Mode().Perm()), os.Chtimes(at, info.ModTime(), info.ModTime()))
}
