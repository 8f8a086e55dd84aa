package doctor

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const restrict = "kernel.apparmor_restrict_unprivileged_userns"

// TestAppArmorRestricts: what a mount in a new user namespace shows, on hosts
// as they are known.
func TestAppArmorRestricts(t *testing.T) {
	on := map[string]string{restrict: "1"}
	for _, tt := range []struct {
		name  string
		facts facts
		out   outcome // of the trial user_namespace
		want  bool
	}{
		{"Ubuntu 24.04", facts{uid: 1000, settings: on},
			outcome{answer: No, made: true, errno: unix.EPERM, profile: "unprivileged_userns"}, true},
		{"the same by mount(2)", facts{uid: 1000, settings: on},
			outcome{answer: No, made: true, errno: unix.EACCES, profile: "unprivileged_userns"}, true},
		{"started by a confined program", facts{uid: 1000, settings: on},
			outcome{answer: No, made: true, errno: unix.EPERM, profile: "foo//&unprivileged_userns"}, true},
		{"Ubuntu 23.10: none is made", facts{uid: 1000, settings: on}, outcome{answer: No, errno: unix.EACCES}, true},
		{"the setting is hidden", facts{uid: 1000},
			outcome{answer: No, made: true, errno: unix.EPERM, profile: "unprivileged_userns"}, true},
		{"in a container of such a host", facts{uid: 1000, inside: "docker", settings: on},
			outcome{answer: No, errno: unix.EPERM, profile: "docker-default"}, false},
		{"in a container without profiles", facts{uid: 1000, inside: "podman", settings: on},
			outcome{answer: No, made: true, errno: unix.EPERM, profile: "unprivileged_userns"}, true},
		{"root is exempt", facts{settings: on}, outcome{answer: No, made: true, errno: unix.EPERM}, false},
		{"switched off", facts{uid: 1000, settings: map[string]string{restrict: "0"}},
			outcome{answer: No, made: true, errno: unix.EPERM}, false},
		{"another kernel", facts{uid: 1000}, outcome{answer: No, made: true, errno: unix.EPERM}, false},
	} {
		f := tt.facts
		f.learn("user_namespace", tt.out)
		if got := f.appArmorRestricts(); got != tt.want {
			t.Errorf("%s: appArmorRestricts() = %v, want %v", tt.name, got, tt.want)
		}
		// What the first trial showed is the remedy of those that fail with it.
		for _, trial := range []string{"user_namespace", "namespaces", "root"} {
			steps := strings.Join(f.remedy(trial, tt.out), "\n")
			if got := strings.Contains(steps, "apparmor_parser -r /etc/apparmor.d/jail"); got != tt.want {
				t.Errorf("%s: the remedy of %s loads the profile: %v, want %v:\n%s", tt.name, trial, got, tt.want, steps)
			}
		}
	}
}

// TestAppArmorProfileFile: the profile that is shipped and the one that the
// remedy writes are the same, but for words.
func TestAppArmorProfileFile(t *testing.T) {
	text, err := os.ReadFile("../../../../dist/apparmor/jail")
	if err != nil {
		t.Fatal(err)
	}
	rules := func(text string) []string {
		var lines []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	printed := rules(strings.ReplaceAll(appArmorProfileText, `\n`, "\n"))
	if shipped := rules(string(text)); !slices.Equal(shipped, printed) {
		t.Errorf("dist/apparmor/jail has the rules\n%q, and doctor writes\n%q", shipped, printed)
	}
}
