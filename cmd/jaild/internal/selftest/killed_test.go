package selftest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// beKilled is set for the process that TestKilled kills.
const beKilled = "JAIL_TEST_BE_KILLED"

// TestBeKilled is that process: a selftest of attacks that take a while without a box.
func TestBeKilled(t *testing.T) {
	if os.Getenv(beKilled) == "" {
		t.Skip("a part of TestKilled")
	}
	given := companion.Selftest{Only: []string{"limits/use up /tmp's inodes"}, Tier: int(jail.Tier1), Timeout: 2 * time.Minute}
	for range 20 {
		settings{given, attacks.Row.Carry}.run(t.Context(), io.Discard, io.Discard)
	}
}

// A selftest that is killed has no attack go on, and the next one takes its folder away.
func TestKilled(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "-test.run", "^TestBeKilled$")
	cmd.Env = append(os.Environ(), beKilled+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}()
	site, attack := "", 0
	for began := time.Now(); attack == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("no attack began")
		}
		if site = siteOf(cmd.Process.Pid); site != "" {
			attack = stopped(running(site))
		}
	}
	ended = true
	cmd.Process.Kill()
	cmd.Wait()
	for began := time.Now(); len(running(site)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			unix.Kill(attack, unix.SIGKILL)
			t.Fatalf("going on: %v", running(site))
		}
	}
	if _, err := os.Stat(site); err != nil {
		t.Fatalf("%v: there is nothing for the next one to take away", err)
	}
	next, err := attacks.NewSite(t.Context(), sitePrefix, filepath.Dir(site))
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := os.Stat(site); err == nil {
		t.Errorf("%s is still there", site)
	}
	if _, err := os.Stat(next.Dir()); err != nil {
		t.Error(err)
	}
}

// What was left in a place that is not taken now goes away as well; what somebody holds,
// or has another name, stays.
func TestSweepsAllPlaces(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	for _, name := range []string{sitePrefix + "left/attacked", sitePrefix + "held", "mine"} {
		if err := os.MkdirAll(filepath.Join(there, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.Open(filepath.Join(there, sitePrefix+"held"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	site, err := attacks.NewSite(t.Context(), sitePrefix, here, there)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	if left, _ := filepath.Glob(there + "/*"); len(left) != 2 {
		t.Errorf("there are %q, want what is held, and what is no site", left)
	}
}

// siteOf is the folder that a selftest holds open, by its lock, or "".
func siteOf(pid int) string {
	fds, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
	for _, fd := range fds {
		if at, _ := os.Readlink(fd); strings.HasPrefix(filepath.Base(at), sitePrefix) {
			return at
		}
	}
	return ""
}

// stopped stops an attack that runs beside its caller, without a box, so that it would
// not end by itself, and returns it, or 0.
func stopped(going map[int]string) int {
	for pid, line := range going {
		if strings.HasPrefix(line, "caller") || unix.Kill(pid, unix.SIGSTOP) != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if _, after, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(after, "T") {
			return pid
		}
	}
	return 0
}

// running are the processes of a site and their command lines; those that have ended
// have none.
func running(site string) map[int]string {
	all := map[int]string{}
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if at, _ := os.Readlink(exe); !strings.HasPrefix(at, site+"/") {
			continue
		}
		dir := filepath.Dir(exe)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if line, _ := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil && len(line) > 0 {
			all[pid] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return all
}
