package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A row is one way to start jail, and what must come of it.
type row struct {
	name string
	run  func() error
}

// A record is what is read of jail's.
type record struct {
	Reason  string
	Message string
	Hint    string
	Stdout  struct{ Text string }
	Usage   struct {
		ThrottledMS int64 `json:"cpu_throttled_ms"`
	}
	Layers []struct {
		Name, Mechanism, Evidence, Note string
		Applied                         bool
	}
}

// cgroup is the receipt of the layer of that name.
func (r record) cgroup() (evidence, note string) {
	for _, l := range r.Layers {
		if l.Name == "cgroup" && l.Applied && l.Mechanism == "cgroup2" {
			return l.Evidence, l.Note
		}
	}
	return "", ""
}

// Ways to become who starts jail.
var (
	// login is a session of logind's, with its environment.
	login = func(user string) []string { return []string{"su", "-l", user, "-c"} }
	// bare is no session and no environment, as cron and many daemons start programs.
	bare = func(id string) []string {
		return []string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups", "env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "sh", "-c"}
	}
	root = []string{"sh", "-c"}
)

const (
	options = "--json --optional landlock --memory 24M --cpus 0.5 --pids 20 --profile sh"
	caps    = "memory.max=25165824; memory.swap.max=0; memory.oom.group=1; cpu.max=50000 100000; pids.max=20"
	made    = "systemd made jail-"
)

// jail runs a script in a box and answers the record. before is what stands
// before the command, and flags are more than the options.
func jail(who []string, before, flags, script string) (record, error) {
	line := fmt.Sprintf("%s jail run %s %s -- -c '%s'", before, options, flags, script)
	cmd := exec.Command(who[0], append(who[1:len(who):len(who)], line)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("%w: %q", err, out)
	}
	return r, nil
}

// capped sees that a box ran with all its caps in a scope that systemd made,
// or in none.
func capped(who []string, before string, scope bool) func() error {
	return func() error {
		r, err := jail(who, before, "", "echo hello")
		if err != nil {
			return err
		}
		evidence, note := r.cgroup()
		if r.Reason != "ok" || r.Stdout.Text != "hello\n" || evidence != caps || strings.Contains(note, made) != scope {
			return fmt.Errorf("%s: %s (%s); caps %q, want %q; note %q, want a scope: %v", r.Reason, r.Message, r.Hint, evidence, caps, note, scope)
		}
		return nil
	}
}

// ends sees that a box ends for a reason.
func ends(who []string, flags, script, reason string) func() error {
	return func() error {
		r, err := jail(who, "", flags, script)
		if err != nil {
			return err
		}
		if r.Reason != reason {
			return fmt.Errorf("%s: %s, want %s", r.Reason, r.Message, reason)
		}
		return nil
	}
}

// refused sees that nothing ran, in time, and that message and hint say why.
func refused(who []string, flags string, limit time.Duration, says ...string) func() error {
	return func() error {
		begun := time.Now()
		r, err := jail(who, "", flags, "echo hello")
		if err != nil {
			return err
		}
		text := r.Message + " " + r.Hint
		for _, s := range says {
			if !strings.Contains(text, s) {
				return fmt.Errorf("%s: %q does not say %q", r.Reason, text, s)
			}
		}
		if took := time.Since(begun); r.Reason != "setup_refused" || took > limit {
			return fmt.Errorf("%s after %v, want a refusal within %v", r.Reason, took, limit)
		}
		return nil
	}
}

// refusal is how long a refusal may take: systemd is asked for two seconds at most,
// and all else is slow in a guest.
const refusal = 10 * time.Second

const (
	fillMemory = `a=x; while :; do a=$a$a; done`
	manyForks  = `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do sleep 1 & done; wait`
	spin       = `while :; do :; done`
)

// handsCPUDown is the first systemd whose managers of users are given cpu by itself.
const handsCPUDown = 252

// before are the rows with which an older systemd begins. From then on it is as any.
func before(version int) []row {
	if version >= handsCPUDown {
		return nil
	}
	return []row{
		{fmt.Sprintf("a user who logged in, below systemd %d", version), refused(login(user), "", refusal, "controller cpu", "Delegate=cpu io memory pids")},
		{"the same, repaired for all users by the line of the refusal", repaired(user, "1000")},
	}
}

func rows() []row {
	anna := login(user)
	return []row{
		{"a user who logged in", capped(anna, "", true)},
		{"the same, memory used up", ends(anna, "", fillMemory, "out_of_memory")},
		{"the same, processes used up", ends(anna, "", manyForks, "pids_limit")},
		{"the same, held to half a processor", throttled(anna)},
		{"the same, found by its bus", without("/run/user/1000/systemd/private", capped(anna, "", true))},
		{"the same, four at once", atOnce(4, capped(anna, "", true))},
		{"the same, with jail killed", killed(anna)},
		{"a user's process without session and environment", capped(bare("1000"), "", true)},
		{"a user in a scope with Delegate: no other one is made", capped(anna, "systemd-run --user --scope -q -p Delegate=yes", false)},
		{"a user alone in a scope without Delegate", capped(anna, "systemd-run --user --scope -q", true)},
		{"a user's service with Delegate", capped(anna, "systemd-run --user --pipe --wait -q -p Delegate=yes", false)},
		{"a named parent is taken at its word", refused(anna, "--cgroup-parent no/such", refusal, "no/such")},
		{"a user's manager that hangs", stopped(refused(anna, "", refusal, "no answer in time", "systemd/private"))},
		{"a user without a manager", refused(bare("1001"), "", refusal, "loginctl enable-linger 1001", "/run/user/1001/systemd/private")},
		{"a user's manager without cpu", refused(login(userWithout), "", refusal, "controller cpu", "Delegate=cpu io memory pids")},
		{"the same, repaired by the line of the refusal", repaired(userWithout, "1002")},
		{"root in a service", capped(root, "", true)},
		{"root, memory used up", ends(root, "", fillMemory, "out_of_memory")},
		{"root, found by the system's bus", without("/run/systemd/private", capped(root, "", true))},
		{"root in a service with Delegate", capped(root, "systemd-run --pipe --wait -q -p Delegate=yes", false)},
		{"root alone in a service without Delegate", capped(root, "systemd-run --pipe --wait -q", true)},
	}
}
