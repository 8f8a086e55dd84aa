package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// sweeping is how long a server spends on what killed ones left behind.
const sweeping = 5 * time.Second

// sweep removes workspaces of this user's that no server holds any more.
func sweep(base string, until time.Time) {
	left, _ := filepath.Glob(filepath.Join(base, workspacePrefix+"*"))
	for _, path := range left {
		if time.Now().Before(until) {
			sweepOne(path, until)
		}
	}
}

// sweepOne removes a folder if it is one that a killed server left behind. When in
// doubt it stays.
func sweepOne(path string, until time.Time) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil || st.Mode != unix.S_IFDIR|0o700 || int(st.Uid) != os.Geteuid() {
		return
	}
	name := filepath.Base(path)
	digits, young := strings.CutPrefix(name, newPrefix)
	if !young {
		digits = strings.TrimPrefix(name, workspacePrefix)
	}
	if len(digits) != 16 || strings.Trim(digits, "0123456789abcdef") != "" {
		return
	}
	if young { // it is not locked yet
		if time.Since(time.Unix(st.Ctim.Unix())) > time.Minute {
			removeFolder(path, until)
		}
		return
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		removeFolder(path, until)
	}
}

// removeFolder removes a folder of ours with what boxes have put into it: their part
// first, so that the lock tells what is left as long as anything is.
func removeFolder(path string, until time.Time) {
	files := filepath.Join(path, "files")
	if fd, err := folder.Open(unix.AT_FDCWD, files, 0); err == nil {
		done := folder.Empty(fd, until)
		unix.Close(fd)
		if !done || unix.Rmdir(files) != nil {
			return
		}
	}
	unix.Unlink(filepath.Join(path, "lock"))
	unix.Rmdir(path)
}
