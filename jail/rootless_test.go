package jail

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// nobody is an ordinary user without an entry in /etc/passwd.
const nobody = 64321

// rootlessTests run a second time as an ordinary user. Those that need a
// cgroup leave themselves out there, unless that user was given one.
const rootlessTests = "^(TestReasonsForReal|TestForeignCalls|TestOutput.*|TestStdin.*|TestTTY.*|TestWholeTreeEnds|TestCanceled.*|TestTimeout.*|" +
	"TestConcurrentRuns|TestNothingIsLeft|TestEvidence.*|TestReceipts.*|TestExplainIsWhatRuns|TestUnlinkedInit|TestUnlinkedInitRunsABox|TestRootless.*|TestEmptyStart|TestFromADeletedFolder|TestNamesOfAllKinds|TestTier2.*|TestPool.*|TestNewPool.*|TestTrace.*)$"

// What root's boxes do, an ordinary user's do as well: the same tests, in a
// copy of this binary that runs as one.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user's run already")
	}
	dir := t.TempDir()
	exe := filepath.Join(dir, "jail.test")
	if err := copyFile(exe, "/proc/self/exe", 0o755); err != nil {
		t.Fatal(err)
	}
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) { // or it could not be reached
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(tmp, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.v", "-test.run="+rootlessTests, "-test.timeout=20m")
	// Without CI: that there is no cgroup for a user of a test is no failure.
	cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + tmp, "GOCOVERDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "NOT TESTED HERE") {
			t.Log("as an ordinary user: " + strings.TrimSpace(line))
		}
	}
	passed := strings.Count(string(out), "\n--- PASS")
	if err != nil || passed < 20 {
		t.Errorf("as uid %d: %v, %d tests passed\n%s", nobody, err, passed, out)
	}
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// Who the program is: an unprivileged uid of its own when root starts the box,
// the caller itself when an ordinary user does. Files it makes in a writable
// grant belong to the grant's owner on the host.
func TestRootlessIdentity(t *testing.T) {
	dir := t.TempDir()
	s := shell("id -u; id -g; echo x >/work/made; stat -c %u:%g /work /work/made")
	s.View = append(s.View, rw(dir, "/work"))
	id := "1000"
	if os.Getuid() != 0 {
		id = strconv.Itoa(os.Getuid())
	}
	res := runBox(t, s, IO{})
	wantStdout(t, res, strings.ReplaceAll("ID\nID\nID:ID\nID:ID\n", "ID", id))
	info, err := os.Stat(filepath.Join(dir, "made"))
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); int(st.Uid) != os.Getuid() || int(st.Gid) != os.Getgid() {
		t.Errorf("the file belongs to %d:%d on the host, want the caller, %d:%d", st.Uid, st.Gid, os.Getuid(), os.Getgid())
	}
	host := layer(t, res, LayerRoot).Mechanism
	if uid := strings.TrimPrefix(host, "pivot_root, host uid "); uid == "0" || os.Getuid() != 0 && uid != id {
		t.Errorf("on the host the box is %s", host)
	}
}

// Two boxes of root's at the same time are two users: neither can signal or
// read the other, even if they met.
func TestRootlessHostIDsDiffer(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "an ordinary user has one uid for all boxes")
	}
	ids := make(chan string, 2)
	both := make(chan struct{})
	for range 2 {
		go func() {
			r, w := io.Pipe()
			out := onWrite(func() { both <- struct{}{}; w.Close() })
			res, err := RunIO(t.Context(), shell("echo x; read y; true"), IO{Stdin: r, Stdout: out})
			if err != nil || len(res.Layers) != 7 {
				ids <- text(res)
				return
			}
			ids <- res.Layers[1].Mechanism
		}()
	}
	<-both
	<-both
	if a, b := <-ids, <-ids; a == b || strings.HasSuffix(a, " 0") {
		t.Errorf("two boxes are %s and %s", a, b)
	}
}

// All boxes of an ordinary user's have one session keyring together, which is not the
// caller's: a user has 200 keys.
func TestRootlessBoxesShareAKeyring(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("not for root: each of its boxes has a keyring of its own")
	}
	before := keysOf(t, os.Getuid())
	const boxes = 8
	var ready, ended sync.WaitGroup
	ready.Add(boxes)
	counted := make(chan struct{})
	for range boxes {
		ended.Go(func() {
			said := sync.OnceFunc(ready.Done)
			defer said()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := RunIO(ctx, shell("echo; exec sleep 30"), IO{Stdout: onWrite(func() {
				said()
				<-counted
				cancel()
			})})
			if err != nil {
				t.Error(err)
			}
		})
	}
	ready.Wait()
	during := keysOf(t, os.Getuid())
	close(counted)
	ended.Wait()
	if during > before+1 {
		t.Errorf("%d keys with %d boxes, %d without", during, boxes, before)
	}
}

// keysOf is how many keys count against what a user may have (proc_key_users(5)).
func keysOf(t *testing.T, uid int) int {
	t.Helper()
	text, err := os.ReadFile("/proc/key-users")
	if err != nil {
		leaveOut(t, "no keys are counted here: "+err.Error())
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] != strconv.Itoa(uid)+":" {
			continue
		}
		used, _, _ := strings.Cut(f[3], "/")
		n, err := strconv.Atoi(used)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 0
}
