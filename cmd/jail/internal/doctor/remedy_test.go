package doctor

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRemedy: each known obstacle is met with the setting that removes it.
func TestRemedy(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts facts
		trial string
		out   outcome
		want  string
	}{
		{"debian's switch", facts{uid: 1000, settings: map[string]string{"kernel.unprivileged_userns_clone": "0"}},
			"user_namespace", outcome{errno: unix.EPERM}, "sysctl -w kernel.unprivileged_userns_clone=1"},
		{"none allowed", facts{uid: 1000, settings: map[string]string{"user.max_user_namespaces": "0"}},
			"user_namespace", outcome{errno: unix.ENOSPC}, "sysctl -w user.max_user_namespaces="},
		{"ubuntu", facts{uid: 1000, settings: map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}},
			"user_namespace", outcome{errno: unix.EACCES}, "apparmor_parser -r"},
		{"docker's filter", facts{inside: "docker"}, "user_namespace", outcome{errno: unix.EPERM}, "--security-opt seccomp=unconfined"},
		{"docker's masks", facts{inside: "docker"}, "proc", outcome{errno: unix.EPERM}, "systempaths=unconfined"},
		{"kubernetes' masks", facts{inside: "kubernetes"}, "proc", outcome{errno: unix.EPERM}, "procMount: Unmasked"},
		{"podman", facts{inside: "podman"}, "root", outcome{errno: unix.EPERM}, "unmask=ALL"},
		{"old kernel", facts{kernel: "5.10.0"}, "mount_api", outcome{errno: unix.ENOSYS}, "5.14"},
		{"old kernel, in a new root", facts{kernel: "5.10.0"}, "root", outcome{errno: unix.ENOSYS}, "5.14"},
		{"old kernel, for root", facts{kernel: "5.10.0"}, "granting", outcome{errno: unix.ENOSYS}, "5.14"},
		{"root of a pod", facts{inside: "kubernetes"}, "granting", outcome{errno: unix.EPERM}, `capabilities: {add: ["SYS_ADMIN"]}`},
		{"old kernel, mapping owners", facts{kernel: "5.10.0"}, "idmapped_mounts", outcome{errno: unix.ENOSYS}, "5.14"},
		{"root without it, mapping owners", facts{ungranting: true}, "idmapped_mounts", outcome{errno: unix.EPERM}, "CAP_SYS_ADMIN"},
		{"a file system that can't", facts{}, "idmapped_mounts", outcome{errno: unix.EINVAL}, "ext4, xfs"},
		{"no namespace to map owners with", facts{settings: map[string]string{"user.max_user_namespaces": "0"}}, "idmapped_mounts", outcome{answer: Unknown, errno: unix.ENOSPC}, "sysctl -w user.max_user_namespaces="},
		{"root of a container", facts{inside: "docker"}, "granting", outcome{errno: unix.EPERM}, "docker run --cap-add SYS_ADMIN"},
		{"root without it", facts{}, "granting", outcome{errno: unix.EPERM}, "CAP_SYS_ADMIN"},
		{"controllers of both versions", facts{uid: 1000, cgroup1: true, split: true, systemd: true}, "cgroup", outcome{remedy: "boot it"}, "# boot it\n# To go without"},
		{"no memfd", facts{settings: map[string]string{"vm.memfd_noexec": "2"}}, "memfd_exec", outcome{errno: unix.EACCES}, "vm.memfd_noexec=0"},
		{"landlock off at boot", facts{lsm: "lockdown,yama"}, "landlock", outcome{errno: unix.EOPNOTSUPP}, "lsm=landlock,lockdown,yama"},
		{"landlock not built", facts{}, "landlock", outcome{errno: unix.ENOSYS}, "CONFIG_SECURITY_LANDLOCK"},
		{"no filters", facts{}, "seccomp", outcome{errno: unix.EINVAL}, "CONFIG_SECCOMP_FILTER"},
		{"no delegation", facts{uid: 1000, systemd: true}, "cgroup", outcome{errno: unix.EACCES}, "systemd-run --user --scope -p Delegate=yes"},
		{"cgroups' own advice", facts{}, "cgroup", outcome{remedy: "mount it"}, "# mount it"},
		{"few ids", facts{}, "uid_range", outcome{errno: unix.EPERM}, "/etc/subuid"},
		{"own groups", facts{uid: 1000, cgroup1: true, inside: "docker"}, "cgroup", outcome{errno: unix.EACCES},
			"for c in pids memory cpu cpuacct; do mkdir -p /sys/fs/cgroup/$c/jail && chown 1000 /sys/fs/cgroup/$c/jail; done"},
		{"own groups, named", facts{uid: 1000, cgroup1: true, parent: "/a/b"}, "cgroup", outcome{errno: unix.ENOENT}, "mkdir -p /sys/fs/cgroup/$c/a/b "},
		{"own groups, named by a mount", facts{uid: 1000, cgroup1: true, parent: "/sys/fs/cgroup/pids/a"}, "cgroup", outcome{errno: unix.ENOENT}, "/sys/fs/cgroup/$c/jail "},
		{"own groups, named oddly", facts{uid: 1000, cgroup1: true, parent: "a;b"}, "cgroup", outcome{errno: unix.ENOENT}, "/sys/fs/cgroup/$c/jail "},
		{"own group of version 2", facts{uid: 1000}, "cgroup", outcome{errno: unix.EACCES, ungiven: true},
			"chown 1000 /sys/fs/cgroup/jail /sys/fs/cgroup/jail/cgroup.procs /sys/fs/cgroup/jail/cgroup.subtree_control\n" +
				`sudo sh -c "echo $$ > /sys/fs/cgroup/jail/shell/cgroup.procs"`},
		{"own group of version 2, named", facts{uid: 1000, parent: "a/b"}, "cgroup", outcome{errno: unix.ENOENT, ungiven: true}, "mkdir -p /sys/fs/cgroup/a/b/shell\n"},
		{"no version 2", facts{uid: 1000}, "cgroup", outcome{remedy: "mount it"}, "# mount it\n# To go without"},
		{"in a chroot", facts{chroot: true, inside: "docker"}, "user_namespace", outcome{errno: unix.EPERM}, "in a chroot"},
		{"in a box", facts{uid: 1000, filtered: true, cgroup1: true}, "mount_api", outcome{errno: unix.EPERM}, "Boxes do not nest"},
		{"groups in a box", facts{uid: 1000, filtered: true, cgroup1: true}, "cgroup", outcome{}, "Boxes do not nest"},
		{"no proc", facts{noProc: true, inside: "docker"}, "user_namespace", outcome{answer: Unknown}, "mount -t proc proc /proc"},
		{"no proc for groups", facts{noProc: true, uid: 1000, cgroup1: true}, "cgroup", outcome{answer: No}, "mount -t proc proc /proc"},
		{"something else", facts{lsm: "selinux"}, "namespaces", outcome{errno: unix.EACCES}, "selinux"},
	} {
		got := strings.Join(tt.facts.remedy(tt.trial, tt.out), "\n")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: remedy(%s, %v) = %q, want it to name %q", tt.name, tt.trial, tt.out.errno, got, tt.want)
		}
	}
}

func TestVersionOne(t *testing.T) {
	for _, tt := range []struct {
		text       string
		any, split bool
	}{
		{"0::/user.slice\n", false, false},
		{"9:name=systemd:/\n5:cpu,cpuacct:/\n4:memory:/\n3:pids:/x:y\n0::/\n", true, false},
		{"5:cpu,cpuacct:/\n3:pids:/\n0::/\n", true, true},
		{"3:freezer:/\n0::/\n", false, false},
	} {
		if any, split := versionOne(tt.text); any != tt.any || split != tt.split {
			t.Errorf("versionOne(%q) = %v, %v, want %v, %v", tt.text, any, split, tt.any, tt.split)
		}
	}
}

// TestEveryTrialHasARemedy: no failure leaves its reader alone.
func TestEveryTrialHasARemedy(t *testing.T) {
	for _, f := range []facts{{}, {uid: 1000, inside: "docker"}} {
		for _, tr := range trials(f) {
			for _, errno := range []unix.Errno{0, unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EINVAL, unix.ENOSPC, unix.EOPNOTSUPP} {
				if len(f.remedy(tr.name, outcome{answer: No, errno: errno})) == 0 {
					t.Errorf("no remedy for %s with %v", tr.name, errno)
				}
			}
		}
	}
}

func TestFixHints(t *testing.T) {
	engine := facts{inside: "docker"}.engine()
	r := Report{Checks: []Check{
		{Name: "a", Answer: Yes},
		{Name: "b", Answer: No, Evidence: "EPERM", Remedy: engine},
		{Name: "c", Answer: No, Evidence: "EPERM", Remedy: engine},
	}}
	if got, want := r.FixHints(), "# b: EPERM\n# "+engine[0]+"\n"; got != want {
		t.Errorf("FixHints() = %q, want %q", got, want)
	}
	open := Report{Checks: []Check{{Name: "c", Evidence: "no", Remedy: []string{"# why", "mkdir g", "jail run --cgroup-parent g …"}}}}
	if got, want := open.FixHints(), "# c: no\n# why\nmkdir g\n# jail run --cgroup-parent g …\n"; got != want {
		t.Errorf("FixHints() = %q, want %q", got, want)
	}
	if got := (Report{}).FixHints(); got != "" {
		t.Errorf("FixHints() of nothing = %q, want nothing", got)
	}
}
