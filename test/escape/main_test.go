package escape

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
)

// This binary is four programs. As which it was started it knows from argv[0],
// because an attacker must not need an environment.
const (
	attackerName = "attack" // runs one row's attack
	callerName   = "caller" // plays the caller of jail
	naiveName    = "naive"  // a launcher as one would write it first
)

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case attackerName:
		os.Exit(attackMain(os.Args[1:]))
	case callerName:
		os.Exit(callerMain())
	case naiveName:
		os.Exit(naiveMain(os.Args[1:]))
	}
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "escape:", err)
		code = 1
	}
	os.Exit(code)
}

// site is what all runs share. It is set once, before the first test.
var site struct {
	dir      string // where the arenas are
	attacker string // this binary, where every user may run it
	dynamic  bool   // it needs libraries (built with cgo, such as for -race)
	group    bool   // this process can make control groups
}

// setUp makes the site, runs the tests and takes the site away again.
func setUp(m *testing.M) (int, error) {
	// Not below /tmp, which a box has of its own: with the new root taken
	// down the host's files must still be another wall's to hide.
	dir, err := os.MkdirTemp("/var/tmp", "jail-escape-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return 1, err
	}
	site.dir, site.attacker = dir, filepath.Join(dir, attackerName)
	if err := copyFile(site.attacker, "/proc/self/exe", 0o755); err != nil {
		return 1, err
	}
	binary, err := elf.Open(site.attacker)
	if err != nil {
		return 1, err
	}
	defer binary.Close()
	for _, p := range binary.Progs {
		site.dynamic = site.dynamic || p.Type == elf.PT_INTERP
	}
	site.group = givesGroups()
	return m.Run(), nil
}

// givesGroups says whether this process is given a control group to make others
// below. Callers who are not this process's user have none.
func givesGroups() bool {
	p, err := cgroups.Find("")
	if err != nil {
		return false
	}
	defer p.Close()
	g, err := p.Create("probe", cgroups.Limits{Memory: 64 << 20, CPUs: 1, Pids: 16})
	if err != nil {
		return false
	}
	return g.Remove() == nil
}

// patience is d, or longer on a host that is known to be slow: an emulated one
// says in JAIL_TEST_SLOWNESS how many times.
func patience(d time.Duration) time.Duration {
	if n, err := strconv.Atoi(os.Getenv("JAIL_TEST_SLOWNESS")); err == nil && n > 1 {
		return d * time.Duration(n)
	}
	return d
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Chmod(mode); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// attackMain runs the attack of the row that is named first, and says on
// stdout how it went.
func attackMain(args []string) int {
	for _, r := range append(slices.Concat(table(), tier2Rows()), row{name: neighbourRow, attack: neighbourMain}) {
		if r.name != args[0] {
			continue
		}
		if err := r.attack(args[1:]); err != nil {
			fmt.Println(saidLost, err)
			return 1
		}
		fmt.Println(saidWon)
		return 0
	}
	fmt.Println("no such row:", args[0])
	return 2
}

const (
	saidWon  = "escape: won"
	saidLost = "escape: lost:"
)
