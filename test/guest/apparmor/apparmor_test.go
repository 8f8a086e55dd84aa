package apparmor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run is a box that needs no control group.
const run = " run --optional cgroup -- /bin/echo in the box"

// The shells are confined as a program without a profile is on Ubuntu, and no jail
// runs from them. Root installs the profile by the lines that stand in it: from then
// on the installed jail runs, and nothing else does.
func TestProfile(t *testing.T) {
	for _, shell := range []string{noUserns, noCapabilities} {
		from := " from a shell with " + filepath.Base(shell)
		t.Run("without the profile, unshare"+from, func(t *testing.T) { restricted(t, shell) })
		t.Run("without the profile, the installed jail"+from, func(t *testing.T) { refused(t, shell, installed) })
		t.Run("without the profile, a copy elsewhere"+from, func(t *testing.T) { refused(t, shell, elsewhere) })
	}
	if err := root("cd ../../..; " + ownLines(t)); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{noUserns, noCapabilities} {
		from := " from a shell with " + filepath.Base(shell)
		t.Run("with the profile, unshare"+from, func(t *testing.T) { restricted(t, shell) })
		t.Run("with the profile, the installed jail"+from, func(t *testing.T) { runs(t, shell, installed) })
		t.Run("with the profile, a copy elsewhere"+from, func(t *testing.T) { refused(t, shell, elsewhere) })
	}
	if err := root("apparmor_parser -R /etc/apparmor.d/jail"); err != nil {
		t.Fatal(err)
	}
	t.Run("the profile taken away again, the installed jail", func(t *testing.T) { refused(t, noUserns, installed) })
}

// restricted sees that the kernel keeps namespaces from a program of the shell's, and
// from none without it.
func restricted(t *testing.T, shell string) {
	const line = "unshare -Um /bin/true"
	if e := user(t, "/bin/sh", line); e.status != 0 {
		t.Errorf("unconfined: %+v", e)
	}
	e := user(t, shell, line)
	if e.status == 0 || !strings.Contains(e.stderr, "ermission") && !strings.Contains(e.stderr, "not permitted") {
		t.Errorf("%+v, want a refusal", e)
	}
	t.Logf("unshare: %s", strings.TrimSpace(e.stderr))
}

// refused sees that jail does not run, and what it says to do.
func refused(t *testing.T, shell, jail string) {
	e := user(t, shell, jail+run)
	if e.status != 125 || !strings.Contains(e.stderr, "apparmor") && !strings.Contains(e.stderr, "AppArmor") || strings.Contains(e.stdout, "in the box") {
		t.Errorf("%+v, want a refusal that names AppArmor", e)
	}
	t.Logf("refused: %s", strings.TrimSpace(e.stderr))
}

// runs sees that jail runs, and that its box is no way out of the restriction.
func runs(t *testing.T, shell, jail string) {
	if e := user(t, shell, jail+run); e.status != 0 || e.stdout != "in the box\n" {
		t.Errorf("%+v, want a box", e)
	}
	e := user(t, shell, jail, "run --optional cgroup -- /bin/sh -c 'unshare -U /bin/true && echo made'")
	if strings.Contains(e.stdout, "made") {
		t.Errorf("in the box: %+v", e)
	}
	e = user(t, shell, jail, "doctor --json")
	if !strings.Contains(e.stdout, `"name":"user_namespace","layer":"namespaces","needed":true,"answer":"yes"`) {
		t.Errorf("doctor: %+v", e)
	}
	t.Log("runs, and makes no namespace in the box")
}

// ownLines are the commands in the comment of the shipped profile.
func ownLines(t *testing.T) string {
	text, err := os.ReadFile("../../../dist/apparmor/jail")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "#   "); ok {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	if len(lines) != 2 {
		t.Fatalf("the profile says %q, want two commands", lines)
	}
	return strings.Join(lines, "\n")
}
