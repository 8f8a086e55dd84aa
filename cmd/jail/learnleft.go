package main

import (
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"golang.org/x/sys/unix"
)

// The things of a run that are no files, by names that no path has.
const (
	saidOut = "stdout"
	saidErr = "stderr"
)

// mostText is how long a text may be that is looked into, in bytes; of a longer one its
// size and sum are known.
const mostText = 4 << 20

// saidText takes what a program says.
type saidText struct {
	text []byte
	size int64
	sum  hash.Hash
}

func (s *saidText) Write(p []byte) (int, error) {
	if s.sum == nil {
		s.sum = sha256.New()
	}
	s.sum.Write(p)
	s.size += int64(len(p))
	s.text = append(s.text, p[:min(len(p), mostText-len(s.text))]...)
	return len(p), nil
}

func (s *saidText) thing() learn.Thing {
	t := learn.Said(s.text)
	if s.size == int64(len(s.text)) {
		return t
	}
	t.Size, t.Text = s.size, func() ([]byte, bool) { return nil, false }
	s.sum.Sum(t.Sum[:0])
	return t
}

// captured is what was kept of what a program said.
func captured(o jail.Output) learn.Thing {
	if o.Truncated {
		return learn.Thing{Size: o.Bytes}
	}
	text := []byte(o.Text)
	if o.Encoding != "" {
		text, _ = base64.StdEncoding.DecodeString(o.Text)
	}
	return learn.Said(text)
}

// leftIn is what lies in copies, by where the box has them. What lies there is the
// program's word: no link is followed, and no more read than what may be copied, twice.
func leftIn(copies map[string]string) (learn.Left, error) {
	left, room := learn.Left{}, int64(2*mostCopied)
	for target, at := range copies {
		root, err := os.OpenRoot(filepath.Dir(at))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		base := filepath.Base(at)
		err = fs.WalkDir(root.FS(), base, func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if len(left) > 2*mostCopiedFiles {
				return errTooMuch
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			thing := learn.Thing{Kind: learn.ModeOf(info.Mode())}
			switch info.Mode().Type() {
			case fs.ModeSymlink:
				text, err := root.Readlink(p)
				if err != nil {
					return err
				}
				thing.Kind += " " + text
			case 0:
				if err := fileThing(root, p, &thing, &room); err != nil {
					return err
				}
				whole := filepath.Join(filepath.Dir(at), p)
				thing.Text = func() ([]byte, bool) { return smallText(whole, thing.Size) }
			}
			left[target+strings.TrimPrefix(p, base)] = thing
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}

// fileThing takes the size and sum of a file.
func fileThing(root *os.Root, p string, thing *learn.Thing, room *int64) error {
	in, err := root.OpenFile(p, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(in, *room+1))
	if *room -= n; *room < 0 {
		return errTooMuch
	}
	thing.Size = n
	sum.Sum(thing.Sum[:0])
	return err
}

// smallText is what is in a copy that has been looked at, and that nobody writes any more.
func smallText(file string, size int64) ([]byte, bool) {
	if size > mostText {
		return nil, false
	}
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	f := os.NewFile(uintptr(fd), file)
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostText))
	return text, err == nil
}
