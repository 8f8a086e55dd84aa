package main

import (
	"bytes"
	"fmt"
)

// A cpio writes an archive of the format that the kernel takes as its initial
// file system: "newc", after the kernel's
// Documentation/driver-api/early-userspace/buffer-format.rst.
type cpio struct {
	to    *bytes.Buffer
	inode int
}

// An entry is one file of an archive.
type entry struct {
	name         string
	mode         uint32
	content      []byte
	major, minor uint32 // of a device
}

// Kinds of files, as inode(7) has them.
const (
	modeFile = 0o100000
	modeDir  = 0o040000
	modeChar = 0o020000
)

func (c *cpio) add(e entry) {
	c.inode++
	const links, owner, when, checksum = 1, 0, 0, 0
	c.to.WriteString("070701")
	for _, field := range []uint32{uint32(c.inode), e.mode, owner, owner, links, when, uint32(len(e.content)),
		0, 0, e.major, e.minor, uint32(len(e.name) + 1), checksum} {
		fmt.Fprintf(c.to, "%08X", field)
	}
	c.to.WriteString(e.name + "\x00")
	c.align()
	c.to.Write(e.content)
	c.align()
}

// align fills up to a multiple of four bytes.
func (c *cpio) align() {
	for c.to.Len()%4 != 0 {
		c.to.WriteByte(0)
	}
}

func (c *cpio) close() { c.add(entry{name: "TRAILER!!!"}) }
