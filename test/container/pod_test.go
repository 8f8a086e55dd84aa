package container

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// Those in a pod: nothing forbids them namespaces, but root has no CAP_SYS_ADMIN,
// and /proc is covered in part.
var (
	podRoot = member{"root in a pod", "0", "engine", unfiltered}
	podUser = member{"user in a pod", "1000", "none", unfiltered}
)

// A pod is what it is said to be: a user namespace can be made in it, and root
// can't mount.
func TestPod(t *testing.T) {
	for _, who := range []member{podRoot, podUser} {
		e := in(t, who, "/bin/sh", "-c", "unshare -U echo made; mount -t tmpfs x /mnt; mkdir /sys/fs/cgroup/x; grep '^Seccomp:' /proc/self/status")
		if e.stdout != "made\nSeccomp:\t0\n" || !strings.Contains(e.stderr, "mount: ") || !strings.Contains(e.stderr, "/sys/fs/cgroup/x': ") {
			t.Errorf("%s: %+v", who.name, e)
		}
	}
}

// Each refusal names what is really missing, for the caller that it is told.
func TestPodIsRefused(t *testing.T) {
	for _, c := range []struct {
		who                     member
		stage                   jail.Stage
		operation, errno, names string
	}{
		{podRoot, jail.StageGrants, "open_tree", "EPERM", "CAP_SYS_ADMIN"},
		{podUser, jail.StageMounts, "fsmount", "EPERM", "procMount: Unmasked"},
	} {
		r := record(t, c.who, "--optional", "cgroup", "/bin/true")
		if r.Reason != jail.ReasonSetupRefused || r.Refusal == nil || r.Refusal.Stage != c.stage || r.Refusal.Operation != c.operation || r.Refusal.Errno != c.errno ||
			!strings.Contains(r.Refusal.Remedy, c.names) || !strings.Contains(r.Refusal.Remedy, "--tier 2") || strings.Contains(r.Refusal.Remedy, "changed") {
			t.Errorf("%s: %s: %s: %+v, want %s refused in %s, and %q", c.who.name, r.Reason, r.Message, r.Refusal, c.operation, c.stage, c.names)
		}
		r = record(t, c.who, "/bin/true")
		if r.Refusal == nil || r.Refusal.Layer != jail.LayerCgroup || r.Refusal.Errno == "" || r.Refusal.Operand == "" {
			t.Errorf("%s, with all defaults: %s: %+v", c.who.name, r.Reason, r.Refusal)
		}
		r = record(t, c.who, "--tier", "2", "/bin/true")
		if r.Reason != jail.ReasonOK || r.Tier != jail.Tier2 {
			t.Errorf("%s, with tier 2: %s: %s", c.who.name, r.Reason, r.Message)
		}
	}
}

// doctor says no to what fails there, and yes to what does not.
func TestDoctorInPod(t *testing.T) {
	for _, c := range []struct {
		who member
		no  string // the checks that fail
	}{
		{podRoot, "proc granting idmapped_mounts cgroup"},
		{podUser, "proc cgroup"},
	} {
		e := in(t, c.who, filepath.Join(site, "jail"), "doctor", "--json")
		var r struct {
			Checks []struct {
				Name, Answer string
				Remedy       []string
			}
		}
		if err := json.Unmarshal([]byte(e.stdout), &r); err != nil {
			t.Fatalf("%s: %v: %+v", c.who.name, err, e)
		}
		for _, check := range r.Checks {
			want := "yes"
			if strings.Contains(" "+c.no+" ", " "+check.Name+" ") {
				want = "no"
			}
			if check.Answer != want {
				t.Errorf("%s: %s is %s, want %s", c.who.name, check.Name, check.Answer, want)
			}
			if text := strings.Join(check.Remedy, "\n"); check.Name == "granting" && c.who == podRoot && !strings.Contains(text, "CAP_SYS_ADMIN") {
				t.Errorf("the remedy of granting is %s", text)
			}
		}
	}
}
