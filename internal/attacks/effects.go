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

// inTime is how long an effect is waited for that must come: whatever else the
// machine has to do, it is there then.
const inTime = 20 * time.Second

// patient tells an attack that it must succeed, so that it waits for its effect.
const patient = "JAIL_ATTACK_MUST_SUCCEED=1"

// lingers is how long what may be ended is left alone: where nothing is there to do
// that, for a moment.
func (a *Arena) lingers() time.Duration {
	if a.wins {
		return time.Second
	}
	return inTime / 2
}

// writesLater makes it the effect that the file which the attack is told of is
// there soon after the caller has ended. The attack waits until it is let write
// (whenLet): what is late is nothing that a busy machine could make early.
func (a *Arena) writesLater() string {
	path := filepath.Join(a.RW(), "later")
	a.Args(path)
	a.during = func(caller *os.Process) {
		a.letWrite(caller, path)
	}
	a.effect = func(Answer) error {
		soon := 600 * time.Millisecond
		if a.wins {
			soon = inTime
		}
		for until := time.Now().Add(soon); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				return nil
			}
		}
		return errors.New("nothing was written")
	}
	return path
}

// letWrite lets the attack write when its caller has ended; or when it should have,
// after the attack has begun: a control has nobody to end it.
func (a *Arena) letWrite(caller *os.Process, path string) {
	a.t.Helper()
	await(caller, func() bool { return exists(path + begun) })
	began := time.Now()
	await(caller, func() bool { return time.Since(began) > a.lingers() })
	if err := os.WriteFile(path+let, nil, 0o644); err != nil {
		a.t.Error(err)
	}
}

// Beside the file that is written later there are two: the attack has begun, and it
// may write.
const begun, let = ".begun", ".let"

// whenLet is the attack's side of letWrite.
func whenLet(path string) error {
	if err := os.WriteFile(path+begun, nil, 0o644); err != nil {
		return err
	}
	for until := time.Now().Add(inTime); !exists(path + let); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			return errors.New("nobody lets it write")
		}
	}
	return os.WriteFile(path, nil, 0o644)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// await waits until something is so, or the caller has ended, or it takes too long.
func await(caller *os.Process, is func() bool) {
	for until := time.Now().Add(inTime); !is() && !dead(caller.Pid) && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
}
