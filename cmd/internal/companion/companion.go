// Package companion is how the launcher hands a command to jaild: commands that
// need large libraries live there, because what a program imports it pays for on
// every start. The user types `jail serve`; jail reads the flags and becomes jaild.
package companion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/shellword"
	"golang.org/x/sys/unix"
)

// Name is the companion's file name.
const Name = "jaild"

// Serve is what `jail serve` tells its companion.
type Serve struct {
	// Version is the launcher's. The two are built and installed together: a
	// companion of another version refuses.
	Version string
	Socket  string // absolute
	// Pools are the boxes to keep ready.
	Pools []Pool
	// Trial is a request to try before anybody is served, where there are no Pools.
	Trial json.RawMessage
	// MaxRunning and MaxQueue bound the runs at once, and those that wait;
	// MaxPerCaller both for one caller.
	MaxRunning, MaxQueue, MaxPerCaller int
	// MaxCapture is how much output one run may have in its record, in bytes.
	MaxCapture int64
	// QueueTimeout is how long a run may wait for its turn, DrainTimeout how long
	// runs may go on once the server was told to end.
	QueueTimeout, DrainTimeout time.Duration
	// CgroupParent is where the groups of runs go whose requests do not say.
	CgroupParent string
}

// A Pool is Size boxes of one kind.
type Pool struct {
	Name string // of its profile
	Size int
	Spec json.RawMessage // a request, of which args and env count for nothing
}

// MCP is what `jail mcp` tells its companion.
type MCP struct {
	Version string
	// Languages are those of run_code, each with the box that its sources run in.
	Languages []Box
	// Command is the box of run_command, or nil; with Shell it takes command lines.
	Command *Box
	Shell   bool
	// WorkspaceSize is how large the session's workspace may become, in bytes; 0 is
	// no workspace of the session's own.
	WorkspaceSize int64
	// MaxRunning and MaxQueue bound the calls at once, and those that wait.
	MaxRunning, MaxQueue int
	// Page is how much of each output a result holds, in bytes.
	Page int64
}

// Selftest is what `jail selftest` tells its companion.
type Selftest struct {
	Version string
	// Only are families and rows; empty is the whole table.
	Only []string
	// List says to carry nothing out.
	List bool
	// Refused is that the launcher has told of other faults: what is left is to tell
	// which of Only are no names, and to carry nothing out.
	Refused bool
	JSON    bool
	Tier    int
	// CgroupParent is jail.Spec's.
	CgroupParent string
	// Optional are the layers that boxes may lack here.
	Optional []string
	// Timeout bounds all of it.
	Timeout time.Duration
}

// A Box is what runs something: Spec is a request, of which the last args count for
// nothing.
type Box struct {
	Name string // of its language or profile
	Spec json.RawMessage
}

// Version is the version of the binary that runs: set, which packagers give to the
// linker, or what the Go toolchain stamped into it.
func Version(set string) string {
	if set != "" {
		return set
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// find is the companion's path: beside the binary that runs, else in PATH.
func find() (string, error) {
	self, err := os.Executable()
	if err == nil {
		if path := filepath.Join(filepath.Dir(self), Name); executable(path) {
			return path, nil
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		// What a relative folder holds depends on where one stands.
		if path := filepath.Join(dir, Name); filepath.IsAbs(dir) && executable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s, which does this, is neither beside %s nor in PATH: install it there (it is built by `go build ./cmd/%s`)", Name, shellword.Quote(self), Name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && unix.Access(path, unix.X_OK) == nil
}

// Exec becomes the companion's command, which gets settings on a descriptor of
// its own: they may be larger than an argument can be, and are not for everybody
// to see who lists processes. It returns only to fail.
func Exec(command string, settings any) error {
	path, err := find()
	if err != nil {
		return err
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("jail-"+command, unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 there is no such flag
		fd, err = unix.MemfdCreate("jail-"+command, 0)
	}
	if err != nil {
		return fmt.Errorf("memfd_create: %w", err)
	}
	if _, err := unix.Pwrite(fd, text, 0); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	err = unix.Exec(path, []string{Name, command, fmt.Sprint("fd:", fd)}, os.Environ())
	return fmt.Errorf("execve %s: %w", path, err)
}

// Receive reads the settings of a command that Exec started.
func Receive(arg string, settings any) error {
	number, ok := strings.CutPrefix(arg, "fd:")
	fd, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil || fd < 3 {
		return errors.New("is started by jail, as in `jail serve`, and not by hand")
	}
	f := os.NewFile(uintptr(fd), arg)
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, 0, 1<<62), mostSettings))
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := json.Unmarshal(text, settings); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return nil
}

// mostSettings bounds what is read from a descriptor that somebody else than jail
// may have opened.
const mostSettings = 64 << 20
