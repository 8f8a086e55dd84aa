package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/jail/internal/doctor"
	"golang.org/x/sys/unix"
)

// version is set by packagers: go build -ldflags "-X main.version=v1.2.3".
// Empty, it is what the Go toolchain stamped into the binary.
var version string

func versionCommand(args []string) int {
	var o options
	words, status, ok := plainArgs("version", args, &o)
	if !ok {
		return status
	}
	if len(words) > 0 {
		fmt.Fprintln(os.Stderr, "jail: version: takes no arguments")
		return exitRefused
	}
	landlock := "none"
	if abi := doctor.LandlockABI(); abi > 0 {
		landlock = fmt.Sprintf("abi %d", abi)
	}
	return print(fmt.Sprintf("jail %s\nkernel %s\nlandlock %s\narch %s\ngo %s\n",
		ownVersion(), kernelRelease(), landlock, runtime.GOARCH, strings.TrimPrefix(runtime.Version(), "go")))
}

// ownVersion is the version of this binary.
func ownVersion() string { return companion.Version(version) }

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}
