package jail

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// What is sealed cannot be changed by anybody, by no means.
func TestSealedIsImmutable(t *testing.T) {
	content := []byte("a plan")
	for name, flags := range map[string]int{"plan": mfdNoExecSeal, "image": mfdExec} {
		fd, err := sealed(name, content, flags)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
		if err != nil || seals&allSeals != allSeals {
			t.Errorf("%s: seals %#x (%v), want %#x", name, seals, err, allSeals)
		}
		again, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(again)
		for try, err := range map[string]error{
			"write":     second(unix.Write(fd, []byte("x"))),
			"pwrite":    second(unix.Pwrite(again, []byte("x"), 0)),
			"shrink":    unix.Ftruncate(fd, 1),
			"grow":      unix.Ftruncate(again, 1<<20),
			"fallocate": unix.Fallocate(fd, 0, 0, 1<<20),
			"punch":     unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 1),
			"map":       second(unix.Mmap(again, 0, 6, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)),
			"unseal":    second(unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, 0)),
		} {
			if !errors.Is(err, unix.EPERM) {
				t.Errorf("%s: %s gave %v, want EPERM", name, try, err)
			}
		}
		got := make([]byte, 32)
		if n, err := unix.Pread(fd, got, 0); err != nil || !bytes.Equal(got[:n], content) {
			t.Errorf("%s holds %q (%v), want %q", name, got[:n], err, content)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Where the host forbids executable memfds PID 1 comes from a file without a
// name, which nobody can open for writing while it runs.
func TestUnlinkedInit(t *testing.T) {
	fd, err := unlinkedInit()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Nlink != 0 || st.Size != int64(len(pid1.Image())) {
		t.Errorf("%d links and %d bytes (%v), want none and %d", st.Nlink, st.Size, err, len(pid1.Image()))
	}
	if _, err := unix.Write(fd, []byte("x")); !errors.Is(err, unix.EBADF) {
		t.Errorf("writing gave %v, want EBADF", err)
	}
	got := make([]byte, len(pid1.Image())+1)
	if n, _ := unix.Pread(fd, got, 0); !bytes.Equal(got[:n], pid1.Image()) {
		t.Error("it does not hold PID 1's image")
	}
}

func TestUnlinkedInitRunsABox(t *testing.T) {
	r := newRun(context.Background(), shell("echo ran"))
	defer r.close()
	if err := r.prepare(IO{}); err != nil {
		t.Fatal(err)
	}
	image, err := unlinkedInit()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(image)
	res, err := r.finish(runFrom(r, image, func() {}))
	if err != nil {
		t.Fatal(err)
	}
	wantStdout(t, res, "ran\n")
}

// runFrom is launch and carryOut with another image; planned is called when the
// plan is made.
func runFrom(r *run, image int, planned func()) error {
	streams, err := r.connect(IO{})
	if err != nil {
		return err
	}
	if err := r.compile(); err != nil {
		return err
	}
	if err := r.sealPlan(); err != nil {
		return err
	}
	planned()
	r.image, r.streams = image, streams
	c, err := r.start()
	if err != nil {
		return err
	}
	if err := c.born(); err != nil {
		return err
	}
	defer c.fds.closeAll()
	r.own(c)
	if err := r.letBegin(c); err != nil {
		return err
	}
	if err := r.letGo(c, streams); err != nil {
		return err
	}
	if err := r.makeGroup(c); err != nil {
		return err
	}
	if r.shape.tasks > 0 {
		if err := r.letIn(c); err != nil {
			return err
		}
	}
	if err := r.goAhead(c); err != nil {
		return err
	}
	streams.started()
	streams.bind(IO{})
	r.end.pidfd, r.end.group = c.pidfd, r.group
	err = r.wait(c)
	r.end.over()
	r.result.Stdout, r.result.Stderr = streams.finish(&r.end, taking{})
	return err
}

// The positive control is the same file system without noexec.
func TestUnlinkedInitSkipsNoexec(t *testing.T) {
	for attr, want := range map[int]string{0: "", unix.MOUNT_ATTR_NOEXEC: "mounted noexec"} {
		fd, err := unlinkedInitIn(detachedTmpfs(t, attr))
		if err == nil {
			unix.Close(fd)
		}
		if got := errorText(err); !strings.Contains(got, want) || (want == "") != (err == nil) {
			t.Errorf("mounted with attributes %#x: error %q, want %q in it", attr, got, want)
		}
	}
	if _, err := unlinkedInitIn("/nonexistent"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("unlinkedInitIn of nothing = %v", err)
	}
}

// detachedTmpfs is the path of a tmpfs that is mounted nowhere.
func detachedTmpfs(t *testing.T, attr int) string {
	t.Helper()
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		leaveOut(t, "fsopen: "+err.Error())
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		t.Fatal(err)
	}
	mnt, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(mnt) })
	return "/proc/self/fd/" + strconv.Itoa(mnt)
}
