// floor [-f FILTER] [-r PATH]… PROGRAM [ARG…]: the least that a box of this
// strength can cost here, with some paths shown read-only (-r), for test/bench to
// compare with. It is a yardstick and not a tool: one process tree, no caps on
// what it uses, no record, no pipes, no Landlock, an identity map, and every
// fault is the end.
//
// What it does is what any launcher of this kind must do: all seven namespaces,
// a tmpfs root with /usr read-only and the links into it, /proc, /dev with six
// devices, /tmp and /dev/shm, the old root away, a PID 1 that reaps, no
// capabilities, no_new_privs, the given filter, execve.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what) {
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void need(long result, const char *what) {
	if (result < 0)
		fail(what);
}

static struct sock_filter instructions[4096];
static struct sock_fprog filter = {.filter = instructions};

static void read_filter(const char *path) {
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd, path);
	ssize_t n = read(fd, instructions, sizeof instructions);
	need(n, path);
	filter.len = n / sizeof *instructions;
	close(fd);
}

static void write_file(const char *path, const char *text) {
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	need(fd, path);
	need(write(fd, text, strlen(text)), path);
	close(fd);
}

static void map_ids(pid_t pid) {
	char path[64], line[64];
	snprintf(path, sizeof path, "/proc/%d/uid_map", pid);
	snprintf(line, sizeof line, "1000 %d 1", geteuid());
	write_file(path, line);
	snprintf(path, sizeof path, "/proc/%d/setgroups", pid);
	write_file(path, "deny");
	snprintf(path, sizeof path, "/proc/%d/gid_map", pid);
	snprintf(line, sizeof line, "1000 %d 1", getegid());
	write_file(path, line);
}

// seal adds to a mount's flags; unlike a remount it needs not repeat those that
// are locked in a user namespace.
static void seal(const char *path) {
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	need(syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &attr, sizeof attr), path);
}

static void directory(const char *path) { need(mkdir(path, 0755), path); }

// system_folder shows one of the folders beside /usr as the host has it.
static void system_folder(const char *name) {
	char host[32], target[64];
	snprintf(host, sizeof host, "/%s", name);
	ssize_t n = readlink(host, target, sizeof target - 1);
	if (n >= 0) {
		target[n] = 0;
		need(symlink(target, name), name);
		return;
	}
	if (errno != EINVAL)
		return; // the host has none
	directory(name);
	need(mount(host, name, NULL, MS_BIND | MS_REC, NULL), name);
	seal(name);
}

static void device(const char *name) {
	char host[32];
	snprintf(host, sizeof host, "/%s", name);
	int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
	need(fd, name);
	close(fd);
	need(mount(host, name, NULL, MS_BIND, NULL), name);
}

static void tmpfs(const char *path, const char *options) {
	need(mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options), path);
}

static void devices(void) {
	static const char *const names[] = {"dev/null", "dev/zero", "dev/full", "dev/random", "dev/urandom", "dev/tty"};
	directory("dev");
	tmpfs("dev", "mode=755,size=64k");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		device(names[i]);
	need(symlink("/proc/self/fd", "dev/fd"), "dev/fd");
	need(symlink("fd/0", "dev/stdin"), "dev/stdin");
	need(symlink("fd/1", "dev/stdout"), "dev/stdout");
	need(symlink("fd/2", "dev/stderr"), "dev/stderr");
	directory("dev/shm");
	tmpfs("dev/shm", "mode=1777,size=64m");
	seal("dev");
}

// The paths that are shown, absolute and clean, from the command line.
static char **shown;
static int shown_count;

// show binds a path of the host at its own place in the new root.
static void show(char *host) {
	char *path = host + 1;
	struct stat kind;
	need(stat(host, &kind), host);
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			fail(path);
		*slash = '/';
	}
	if (S_ISDIR(kind.st_mode))
		need(mkdir(path, 0755), path);
	else
		need(mknod(path, S_IFREG | 0644, 0), path);
	need(mount(host, path, NULL, MS_BIND, NULL), path);
	seal(path);
}

static void new_root(void) {
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private /");
	// Over a folder that every host has and no box shows.
	tmpfs("/sys", "mode=755,size=4m");
	need(chdir("/sys"), "chdir");
	directory("usr");
	need(mount("/usr", "usr", NULL, MS_BIND, NULL), "usr");
	seal("usr");
	system_folder("bin");
	system_folder("sbin");
	system_folder("lib");
	system_folder("lib64");
	directory("proc");
	need(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "proc");
	devices();
	directory("tmp");
	tmpfs("tmp", "mode=1777,size=64m");
	for (int i = 0; i < shown_count; i++)
		show(shown[2 * i]);
	need(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	need(umount2(".", MNT_DETACH), "umount");
	seal("/");
	need(chdir("/tmp"), "chdir /tmp");
}

static void drop_caps(void) {
	for (int cap = 0; prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
		;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	need(syscall(SYS_capset, &header, none), "capset");
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

static void become(char **argv) {
	static char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", NULL};
	need(setsid(), "setsid");
	need(syscall(SYS_close_range, 3, ~0U, 0), "close_range");
	drop_caps();
	if (filter.len)
		need(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), "seccomp");
	execve(argv[0], argv, environment);
	fail(argv[0]);
}

static int exit_status(int status) {
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// reaper is PID 1 of the box: it makes it, starts the program and waits.
static int reaper(int begin, char **argv) {
	char byte;
	if (read(begin, &byte, 1) != 1)
		return 125;
	need(prctl(PR_SET_PDEATHSIG, SIGKILL), "pdeathsig");
	need(sethostname("floor", 5), "sethostname");
	new_root();
	pid_t program = fork();
	need(program, "fork");
	if (program == 0)
		become(argv);
	drop_caps();
	int status;
	while (wait(&status) != program)
		;
	return exit_status(status);
}

int main(int argc, char **argv) {
	char **program = argv + 1;
	if (argc > 3 && strcmp(argv[1], "-f") == 0) {
		read_filter(argv[2]);
		program += 2;
	}
	for (shown = program + 1; program[0] && program[1] && strcmp(program[0], "-r") == 0; program += 2)
		shown_count++;
	if (!*program) {
		fprintf(stderr, "usage: floor [-f FILTER] [-r PATH]… PROGRAM [ARG…]\n");
		return 125;
	}
	int begin[2];
	need(pipe2(begin, O_CLOEXEC), "pipe");
	long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	pid_t pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	need(pid, "clone");
	if (pid == 0) {
		close(begin[1]); // or the end of the parent would not show
		return reaper(begin[0], program);
	}
	map_ids(pid);
	need(write(begin[1], "", 1), "begin");
	int status;
	need(waitpid(pid, &status, 0), "wait");
	return exit_status(status);
}
