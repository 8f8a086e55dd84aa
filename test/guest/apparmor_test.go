package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// The profile that is shipped is one to AppArmor's own parser. What it does where a
// kernel confines is for the suite apparmor to show.
func TestAppArmorProfileParses(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: it fetches packages")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := fetchParser(filepath.Join(cache, "jail-guest"))
	if err != nil {
		shipped.LeaveOut(t, "not without Debian's packages: "+err.Error())
	}
	shippedProfile, err := os.ReadFile("../../dist/apparmor/jail")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, profile, want string
		refused             bool
	}{
		{"as shipped", string(shippedProfile), "jail\n", false},
		{"with a rule that there is not", strings.Replace(string(shippedProfile), "userns,", "usrns,", 1), "syntax error", true},
	} {
		file := filepath.Join(t.TempDir(), "jail")
		if err := os.WriteFile(file, []byte(tt.profile), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := parse(tree, file)
		if (err != nil) != tt.refused || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v: %s, want %q", tt.name, err, out, tt.want)
		}
	}
}

// parse has the parser of a tree read a profile, and neither load nor cache it. It
// answers what that says, and the names of the profiles in the file.
func parse(tree, file string) (string, error) {
	find := func(pattern string) string {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is sound
		return strings.Join(found, ":")
	}
	loader, libraries := find("usr/lib/*/ld-linux-*"), find("usr/lib/*-linux-gnu")
	base := filepath.Join(tree, "etc/apparmor.d")
	args := []string{"--library-path", libraries, find("usr/sbin/apparmor_parser"), "--config-file=/dev/null", "--base=" + base, "-I", base, "-K"}
	read, err := exec.Command(loader, append(args, "-Q", file)...).CombinedOutput()
	if err != nil {
		return string(read), err
	}
	names, err := exec.Command(loader, append(args, "-N", file)...).CombinedOutput()
	return string(read) + string(names), err
}
