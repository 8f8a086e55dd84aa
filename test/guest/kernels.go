package main

import (
	"fmt"
	"time"
)

// A kind is how a kernel is run.
type kind string

const (
	uml  kind = "uml"  // User-mode Linux: the kernel is a program
	qemu kind = "qemu" // software emulation of a machine with one processor
	here kind = "here" // no guest: this machine as it is
)

// slowness is how many times longer than the host a guest of a kind may take,
// for limits of time.
func (k kind) slowness() time.Duration {
	switch k {
	case here:
		return 1
	case uml:
		return 10
	}
	return 20
}

// A kernel is one that guests can be made of, and the Debian packages it comes
// in.
type kernel struct {
	name    string
	kind    kind
	sources []source // where to look for it
	// metapackage depends on the package of the newest kernel of its line; for
	// kind uml it is the package itself.
	metapackage string
	landlock    int // the ABI that it is known to have
	// below says that it is older than what jail runs on: a refusal is all
	// that is to be had from it.
	below bool
}

// A source is a part of Debian: a folder of its mirrors ("debian",
// "debian-security") and a suite.
type source struct{ archive, suite string }

var (
	bookworm  = []source{{"debian", "bookworm"}, {"debian-security", "bookworm-security"}}
	bullseye  = []source{{"debian-security", "bullseye-security"}}
	backports = []source{{"debian", "trixie-backports"}}
)

// kernels is one kernel for each generation of Landlock that Debian has, and
// one without. Not to be had anywhere were ABI 1, 3 to 5 and 8 to 10.
func kernels() []kernel {
	return []kernel{
		{name: "uml-6.1", kind: uml, sources: bookworm[:1], metapackage: "user-mode-linux"},
		{name: "qemu-5.10", kind: qemu, sources: bullseye, metapackage: "linux-image-cloud-amd64", below: true},
		{name: "qemu-6.1", kind: qemu, sources: bookworm, metapackage: "linux-image-cloud-amd64", landlock: 2},
		{name: "qemu-6.12", kind: qemu, sources: bookworm, metapackage: "linux-image-6.12-cloud-amd64", landlock: 6},
		{name: "qemu-7.3", kind: qemu, sources: backports, metapackage: "linux-image-cloud-amd64", landlock: 11},
	}
}

// says is a kernel in words.
func (k kernel) says() string {
	how := "emulated by QEMU"
	switch k.kind {
	case here:
		return "the machine that the tests are run on, without a guest"
	case uml:
		how = "User-mode Linux"
	}
	switch {
	case k.below:
		return how + "; older than what jail runs on"
	case k.landlock == 0:
		return how + ", no Landlock"
	}
	return fmt.Sprintf("%s, Landlock ABI %d", how, k.landlock)
}
