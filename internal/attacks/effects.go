package attacks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// What attacks are after, as it is seen from outside.

// leaksSecret is the effect of attacks that are after the secret.
func (a *Arena) leaksSecret() {
	a.effect = func(got Answer) error {
		if strings.Contains(got.Stdout, a.secret) {
			return nil
		}
		return errors.New("the secret did not get out")
	}
}

// changes is the effect of attacks on a file of the host.
func (a *Arena) changes(path string) {
	before := a.Read(path)
	a.effect = func(Answer) error {
		if a.Read(path) != before {
			return nil
		}
		return errors.New("the file is as it was")
	}
}

// endsWith makes it the effect that the run was not ended for that reason.
func (a *Arena) endsWith(why jail.Reason) {
	a.effect = func(got Answer) error {
		if got.Result.Reason == why || !strings.Contains(got.Stdout, saidWon) {
			return errors.New("it was stopped")
		}
		return nil
	}
}

// writesLater makes it the effect that the file which the attack is told of is
// there soon after the caller has ended.
func (a *Arena) writesLater() string {
	path := filepath.Join(a.RW(), "later")
	a.Args(path)
	a.effect = func(Answer) error {
		const looks, every = 30, 20 * time.Millisecond
		for range looks {
			if _, err := os.Stat(path); err == nil {
				return nil
			}
			time.Sleep(every)
		}
		return errors.New("nothing was written")
	}
	return path
}
