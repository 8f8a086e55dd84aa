// Package soak runs boxes by the hundred and kills their supervisors at random
// moments, and then looks whether the machine is as it was before.
//
//	go test ./test/soak                  # a few hundred runs, under a minute
//	JAIL_SOAK=full go test -timeout 30m ./test/soak
//
// What is random comes from a seed that every test logs; JAIL_SOAK_SEED=N runs
// it again.
package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// sizes is how much is run.
type sizes struct {
	runs    int // of each of the two mixes
	atATime int
	kills   int // of supervisors
	signals int // of each kind, at random moments
}

func wanted() sizes {
	if os.Getenv("JAIL_SOAK") == "full" {
		return sizes{runs: 2000, atATime: 32, kills: 200, signals: 50}
	}
	return sizes{runs: 200, atATime: 32, kills: 20, signals: 8}
}

// What TestMain makes, by name below its folder. The folder's path is all that
// tests share, as the environment variable that they would use anyway.
const (
	homeVariable = "JAIL_SOAK_HOME"
	tmpName      = "tmp" // TMPDIR of everything that is run; to be empty in the end
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	home, err := prepare()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		return 1
	}
	defer os.RemoveAll(home)
	return m.Run()
}

func prepare() (home string, err error) {
	// What a killed supervisor leaves becomes a child of this process, so no
	// survivor can hide (PR_SET_CHILD_SUBREAPER in prctl(2)).
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "", fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err)
	}
	if home, err = os.MkdirTemp("", "jail-soak-"); err != nil {
		return "", err
	}
	if err := shipped.Build(filepath.Join(home, "jail")); err != nil {
		return home, err
	}
	// The box of a run by root reads its program as nobody in particular.
	if err := os.Chmod(home, 0o755); err != nil {
		return home, err
	}
	if err := os.WriteFile(filepath.Join(home, foreignName), foreignCall(), 0o755); err != nil {
		return home, err
	}
	tmp := filepath.Join(home, tmpName)
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return home, err
	}
	// For the ordinary user as well, whatever the umask.
	if err := os.Chmod(tmp, 0o777); err != nil {
		return home, err
	}
	os.Setenv("TMPDIR", tmp)
	return home, os.Setenv(homeVariable, home)
}

// path is a file that TestMain made.
func path(name string) string { return filepath.Join(os.Getenv(homeVariable), name) }

// chance is the randomness of one test.
func chance(t *testing.T) *rand.Rand {
	seed, err := strconv.ParseUint(os.Getenv("JAIL_SOAK_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("JAIL_SOAK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// label is a name for the runs of one test, by which their groups and processes
// are known.
func label(what string) string {
	return fmt.Sprintf("soak-%s-%d-%s", what, os.Getpid(), strconv.FormatUint(rand.Uint64(), 36))
}
