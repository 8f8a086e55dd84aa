package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// image is the name of the containers' tree.
const image = "tree"

// fetched is the folder with Docker's packages, unpacked.
func fetched() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "jail-docker")
	if _, err := os.Stat(dir + "/usr/sbin/dockerd"); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	download := exec.Command("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", "docker.io", "containerd", "runc", "libbtrfs0")
	download.Dir, download.Stderr = dir, os.Stderr
	if err := download.Run(); err != nil {
		return "", fmt.Errorf("apt-get download: %w", err)
	}
	packages, _ := filepath.Glob(dir + "/*.deb")
	for _, p := range packages {
		if err := command("dpkg-deb", "-x", p, dir); err != nil {
			return "", err
		}
		os.Remove(p)
	}
	return dir, nil
}

// An engine is a Docker that runs.
type engine struct {
	dir    string
	daemon *exec.Cmd
	env    []string
}

// start starts one that changes nothing of the machine's: it makes no network, keeps what
// it has in dir and its sockets in a /run of this namespace. Of a host
// with control groups of both versions it is shown those of version 1.
func start(dir string) (*engine, error) {
	packages := dir + "/packages"
	libraries, _ := filepath.Glob(packages + "/usr/lib/*linux-gnu*")
	e := &engine{dir: dir, env: append(os.Environ(), "PATH="+packages+"/usr/bin:"+packages+"/usr/sbin:"+os.Getenv("PATH"), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))}
	if err := unix.Unmount("/sys/fs/cgroup/unified", unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return nil, err
	}
	if err := unix.Mount("none", "/run", "tmpfs", 0, ""); err != nil {
		return nil, err
	}
	log, err := os.Create(dir + "/log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	e.daemon = exec.Command(packages+"/usr/sbin/dockerd", "--data-root", dir+"/data", "--exec-root", "/run/docker", "--pidfile", "/run/docker.pid", "--host", "unix:///run/docker.sock",
		"--iptables=false", "--ip6tables=false", "--bridge=none", "--storage-driver=vfs", "--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", "jail-docker")
	e.daemon.Env, e.daemon.Stdout, e.daemon.Stderr = e.env, log, log
	if err := e.daemon.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(time.Minute); e.docker("version").Run() != nil; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(until) {
			e.stop()
			said, _ := os.ReadFile(dir + "/log")
			return nil, fmt.Errorf("it does not come up:\n%s", said)
		}
	}
	if err := e.makeTree(); err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

// makeTree makes the tree of the containers, which has the machine's /usr mounted.
func (e *engine) makeTree() error {
	const script = `mkdir tree && cd tree && mkdir -p dev etc proc sys tmp usr work && chmod 1777 tmp work &&
for l in bin sbin lib lib64; do ln -s usr/$l $l; done && cp /etc/passwd /etc/group etc/ && tar -c . | docker -H unix:///run/docker.sock import - ` + image
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = e.dir, e.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("docker import: %w: %s", err, out)
	}
	return nil
}

func (e *engine) docker(args ...string) *exec.Cmd {
	cmd := exec.Command(e.dir+"/packages/usr/bin/docker", append([]string{"--host", "unix:///run/docker.sock"}, args...)...)
	cmd.Env = e.env
	return cmd
}

// stop ends Docker, and removes the groups that it made.
func (e *engine) stop() {
	e.daemon.Process.Signal(unix.SIGTERM)
	e.daemon.Wait()
	groups, _ := filepath.Glob("/sys/fs/cgroup/*/jail-docker")
	for _, g := range append(groups, "/sys/fs/cgroup/jail-docker") {
		os.Remove(g)
	}
}
