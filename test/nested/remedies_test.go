package nested

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// Where a limit of namespaces or something in /proc keeps an ordinary user from a box,
// what doctor says is all that it takes. It is said, and done, in a user namespace of
// the user's, so that nothing of the host changes.
func TestDoctorsCommands(t *testing.T) {
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "the caller is made by root")
	}
	if _, err := exec.LookPath("sysctl"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	const doctors = `commands=$($JAIL doctor --fix-hints | grep '^sysctl -w'); sh -ec "$commands"`
	type row struct{ name, obstacle, refused, repair string }
	rows := []row{{"something over /proc", "mount -t tmpfs none /proc/irq", "fully visible",
		`for at in $($JAIL doctor --fix-hints | grep '^grep .* /proc/self/mountinfo$' | sh | cut -d ' ' -f 5); do umount $at; done`}}
	for _, kind := range strings.Fields("user mnt pid net ipc uts cgroup") {
		setting := "user.max_" + kind + "_namespaces"
		rows = append(rows, row{setting, "echo 0 >/proc/sys/" + strings.Replace(setting, ".", "/", 1), "/proc/sys/user/max_", doctors})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			script := r.obstacle + `; $JAIL run -q --optional cgroup /bin/true 2>&1; echo "without: $?"; ` + r.repair + `; $JAIL run -q --optional cgroup /bin/true; echo "with: $?"`
			id := strconv.Itoa(user)
			cmd := exec.Command("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
			cmd.Dir, cmd.Env = "/", []string{"JAIL=" + jail, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
			out, err := cmd.CombinedOutput()
			if said := string(out); err != nil || !strings.Contains(said, r.refused) || !strings.Contains(said, "without: 125\n") || !strings.HasSuffix(said, "with: 0\n") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
