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
		{"no memfd", facts{settings: map[string]string{"vm.memfd_noexec": "2"}}, "memfd_exec", outcome{errno: unix.EACCES}, "vm.memfd_noexec=0"},
		{"landlock off at boot", facts{lsm: "lockdown,yama"}, "landlock", outcome{errno: unix.EOPNOTSUPP}, "lsm=landlock,lockdown,yama"},
		{"landlock not built", facts{}, "landlock", outcome{errno: unix.ENOSYS}, "CONFIG_SECURITY_LANDLOCK"},
		{"no filters", facts{}, "seccomp", outcome{errno: unix.EINVAL}, "CONFIG_SECCOMP_FILTER"},
		{"no delegation", facts{uid: 1000, systemd: true}, "cgroup", outcome{errno: unix.EACCES}, "systemd-run --user --scope -p Delegate=yes"},
		{"cgroups' own advice", facts{}, "cgroup", outcome{remedy: "mount it"}, "# mount it"},
		{"few ids", facts{}, "uid_range", outcome{errno: unix.EPERM}, "/etc/subuid"},
		{"something else", facts{lsm: "selinux"}, "namespaces", outcome{errno: unix.EACCES}, "selinux"},
	} {
		got := strings.Join(tt.facts.remedy(tt.trial, tt.out), "\n")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: remedy(%s, %v) = %q, want it to name %q", tt.name, tt.trial, tt.out.errno, got, tt.want)
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
	if got, want := r.FixHints(), "# b: EPERM\n"+engine[0]+"\n"; got != want {
		t.Errorf("FixHints() = %q, want %q", got, want)
	}
	if got := (Report{}).FixHints(); got != "" {
		t.Errorf("FixHints() of nothing = %q, want nothing", got)
	}
}
