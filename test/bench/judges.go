package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var errRoot = errors.New("needs root, with these options")

func needRoot(*bench, *launcher) error {
	if os.Geteuid() != 0 {
		return errRoot
	}
	return nil
}

// nsjailCommand: RLIMIT_AS is off because it stops programs that reserve much
// address space, as node does; jail has none either.
func nsjailCommand(b *bench, path string, j job) (command, error) {
	argv := []string{path, "-Mo", "-Q", "--user", fmt.Sprintf("1000:%d:1", os.Getuid()), "--group", fmt.Sprintf("1000:%d:1", os.Getgid()),
		"--hostname", "jail", "--cwd", "/tmp", "--env", "PATH=/usr/bin:/bin", "--nice_level", "0",
		"--time_limit", itoa(wallSeconds), "--rlimit_as", "inf", "--rlimit_fsize", itoa(fileBytes >> 20), "--rlimit_nofile", itoa(openFiles), "--rlimit_nproc", itoa(processes),
		"-R", "/usr"}
	for _, name := range systemFolders() {
		if target, err := os.Readlink(name); err == nil {
			argv = append(argv, "-s", target+":"+name)
		} else if _, err := os.Stat(name); err == nil {
			argv = append(argv, "-R", name)
		}
	}
	argv = concat(argv, []string{"-T", "/tmp"}, each("-R", []string{"/dev/null", "/dev/zero", "/dev/urandom"}), each("-R", j.show))
	return command{argv: concat(argv, []string{"-P", b.kafel, "--"}, j.argv)}, nil
}

// kafelPolicy is the allow-list as nsjail's language has it. Calls are named by
// number, because the language knows fewer names than the kernel.
func kafelPolicy(numbers []int) string {
	var s strings.Builder
	s.WriteString("ALLOW {\n")
	for i, nr := range numbers {
		if i > 0 {
			s.WriteString(",\n")
		}
		fmt.Fprintf(&s, "\tSYSCALL[%d]", nr)
	}
	s.WriteString("\n}\nDEFAULT ERRNO(38)\n")
	return s.String()
}

// minijailCommand mounts /proc first because minijail, asked to make it
// read-only, mounts another over it, which a user namespace is only allowed
// where one is to be seen. Bound devices stand for -d, which makes nodes.
func minijailCommand(b *bench, path string, j job) (command, error) {
	argv := []string{path, "-v", "-P", b.rootfs, "-k", "proc,/proc,proc,0xe", "-b", "/usr,/usr", "-k", "none,/tmp,tmpfs,0xe,mode=1777,size=64M",
		"-k", "none,/dev,tmpfs,0xa,mode=0755,size=64k", "-b", "/dev/null,/dev/null,1", "-b", "/dev/zero,/dev/zero,1", "-b", "/dev/urandom,/dev/urandom"}
	for _, p := range j.show {
		argv = append(argv, "-b", p+","+p, "--fs-path-ro", p)
	}
	argv = append(argv, "--landlock-abi", "5", "--fs-path-rx", "/usr", "--fs-path-rx", "/bin", "--fs-path-rx", "/lib", "--fs-path-rx", "/lib64",
		"--fs-path-ro", "/proc", "--fs-path-rw", "/dev", "--fs-path-rw", "/tmp",
		"-p", "-r", "-l", "-N", "-e", "--uts=jail", "-U", "-m", "-M", "-n", "-c", "0", "--ambient", "-T", "static",
		"--env-reset", "--env-add", "PATH=/usr/bin:/bin", "--logging=stderr", "-R", fmt.Sprintf("RLIMIT_NOFILE,%d,%d", openFiles, openFiles),
		"--seccomp-bpf-binary", b.filter, "--")
	return command{argv: concat(argv, j.argv)}, nil
}

// prepareIsolate makes a box for every caller that there can be: isolate needs
// one beforehand, and lets one program at a time into it.
func prepareIsolate(b *bench, l *launcher) error {
	if err := needRoot(b, l); err != nil {
		return err
	}
	for slot := range mostCallers {
		if out, err := exec.Command(l.path, "--init", "-b", itoa(slot)).CombinedOutput(); err != nil {
			return fmt.Errorf("its configuration must have %d boxes: %w: %s", mostCallers, err, out)
		}
		b.undo = append(b.undo, func() { exec.Command(l.path, "--cleanup", "-b", itoa(slot)).Run() })
	}
	return nil
}

func isolateCommand(_ *bench, path string, j job) (command, error) {
	argv := []string{path, "--run", "-s", "-b", slotWord, fmt.Sprintf("--processes=%d", processes), fmt.Sprintf("--wall-time=%d", wallSeconds), fmt.Sprintf("--time=%d", wallSeconds),
		fmt.Sprintf("--fsize=%d", fileBytes>>10), fmt.Sprintf("--open-files=%d", openFiles), "--env=PATH=/usr/bin:/bin"}
	for _, p := range j.show {
		// It shows folders only.
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			p = filepath.Dir(p)
		}
		argv = append(argv, "--dir="+p+"="+p)
	}
	return command{argv: concat(argv, []string{"--"}, j.argv)}, nil
}

// firejailCommand shows the host's root: firejail has no empty one. Its --timeout
// is left out, because it has every run take two seconds.
func firejailCommand(_ *bench, path string, j job) (command, error) {
	argv := []string{path, "--quiet", "--noprofile", "--net=none", "--ipc-namespace", "--caps.drop=all", "--nonewprivs", "--seccomp", "--restrict-namespaces",
		"--private", "--private-tmp", "--private-dev", "--private-cwd=/tmp", "--disable-mnt", "--hostname=jail", "--nogroups", "--nosound",
		fmt.Sprintf("--rlimit-nproc=%d", processes), fmt.Sprintf("--rlimit-nofile=%d", openFiles), fmt.Sprintf("--rlimit-fsize=%d", fileBytes)}
	if len(j.show) > 0 {
		argv = append(argv, "--keep-var-tmp") // where this program's folder is
	}
	for _, p := range j.show {
		argv = append(argv, "--whitelist="+p, "--read-only="+p)
	}
	return command{argv: concat(argv, []string{"--"}, j.argv)}, nil
}
