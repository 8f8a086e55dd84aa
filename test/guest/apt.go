package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// An archive is a part of Debian, read with a configuration of its own: nothing
// of this machine's changes, and suites can be had that it does not use. The
// mirrors are those that the machine's own apt is set up with.
type archive struct{ dir string }

// openArchive reads the lists of packages of some sources.
func openArchive(dir string, sources []source) (archive, error) {
	a := archive{dir}
	for _, d := range []string{"etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return a, err
		}
	}
	var lines strings.Builder
	for _, s := range sources {
		mirror, err := mirrorOf(s.archive)
		if err != nil {
			return a, err
		}
		fmt.Fprintf(&lines, "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n", mirror, s.suite)
	}
	for name, text := range map[string]string{
		"etc/sources.list": lines.String(),
		"state/status":     "",
		"apt.conf": fmt.Sprintf(`Dir::Etc "%[1]s/etc"; Dir::Etc::Parts "%[1]s/etc/apt.conf.d";
Dir::State "%[1]s/state"; Dir::State::status "%[1]s/state/status"; Dir::Cache "%[1]s/cache";
Acquire::Languages "none"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Sandbox::User "root"; Acquire::Retries "3";
`, dir),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return a, err
		}
	}
	_, err := a.run("", "apt-get", "-qq", "update")
	return a, err
}

// mirrorOf is where this machine gets an archive of Debian's from.
func mirrorOf(name string) (string, error) {
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").Output()
	if err != nil {
		return "", fmt.Errorf("apt-get indextargets: %w", err)
	}
	for _, uri := range strings.Fields(string(out)) {
		if strings.HasSuffix(strings.TrimSuffix(uri, "/"), "/"+name) {
			return uri, nil
		}
	}
	return "", fmt.Errorf("no source of packages in /etc/apt ends in /%s", name)
}

// run runs one of apt's commands in a folder, and answers what it printed.
func (a archive) run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.dir, "apt.conf"), "LC_ALL=C")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// depends is the first package that name depends on and that begins with prefix,
// or "".
func (a archive) depends(name, prefix string) (string, error) {
	out, err := a.run("", "apt-cache", "depends", name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "Depends:" && strings.HasPrefix(fields[1], prefix) {
			return fields[1], nil
		}
	}
	return "", nil
}

// unpack downloads packages and unpacks them into dir.
func (a archive) unpack(dir string, packages ...string) error {
	debs, err := os.MkdirTemp(a.dir, "debs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(debs)
	if _, err := a.run(debs, "apt-get", slices.Concat([]string{"-qq", "download"}, packages)...); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := a.run("", "dpkg-deb", "-x", file, dir); err != nil {
			return err
		}
	}
	return nil
}
