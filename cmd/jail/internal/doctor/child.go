package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// probeFlag marks a child of Examine on its command line.
const probeFlag = "--probe"

// boxNamespaces are the namespaces of a box.
const boxNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// patience bounds one child, so that a host where something hangs (an
// autofs mount, say) gets an answer too.
const patience = 10 * time.Second

// A finding is what a child sends back, as JSON on its stdout.
type finding struct {
	Evidence string `json:"evidence"`
	Errno    int    `json:"errno"`  // 0: it worked
	Failed   bool   `json:"failed"` // it went wrong without an errno
	// Profile is the AppArmor profile that the child ended up under, or "".
	Profile string `json:"profile"`
}

// child makes a trial that runs a probe of this program in new namespaces. The
// caller is root in there: anyone else would lose the capabilities, that the
// probes use, by the execve.
func child(namespaces uintptr, name string) func(context.Context) outcome {
	return func(ctx context.Context) outcome {
		return runChild(ctx, namespaces, name, 0, os.Geteuid())
	}
}

// runChild runs one probe, with the host's uid and gid outside mapped to
// inside in a new user namespace, if there is one.
func runChild(ctx context.Context, namespaces uintptr, name string, inside, outside int) outcome {
	r, w, err := os.Pipe()
	if err != nil {
		return outcome{answer: Unknown, evidence: err.Error()}
	}
	defer r.Close()
	attr := &os.ProcAttr{Files: []*os.File{nil, w, nil}, Env: []string{}, Dir: "/",
		Sys: &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}}
	if namespaces&unix.CLONE_NEWUSER != 0 {
		outsideGID := os.Getegid()
		if outside != os.Geteuid() {
			outsideGID = outside
		}
		attr.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: outside, Size: 1}}
		attr.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: outsideGID, Size: 1}}
	}
	self, err := os.Executable()
	if err != nil {
		w.Close()
		return outcome{answer: Unknown, evidence: err.Error()}
	}
	p, err := os.StartProcess(self, []string{"jail", "doctor", probeFlag, name}, attr)
	w.Close()
	if err != nil {
		return startFailed(namespaces, err)
	}
	stop := context.AfterFunc(ctx, func() { p.Kill() })
	timer := time.AfterFunc(patience, func() { p.Kill() })
	answer, readErr := io.ReadAll(io.LimitReader(r, 64<<10))
	state, waitErr := p.Wait()
	timer.Stop()
	stop()
	if err := errors.Join(readErr, waitErr); err != nil {
		return outcome{answer: Unknown, evidence: err.Error()}
	}
	var f finding
	if err := json.Unmarshal(answer, &f); err != nil {
		return outcome{answer: Unknown, evidence: "the child that tried it gave no answer: " + state.String()}
	}
	o := outcome{answer: Yes, errno: unix.Errno(f.Errno), evidence: f.Evidence, profile: f.Profile, made: namespaces&unix.CLONE_NEWUSER != 0}
	if f.Errno != 0 || f.Failed {
		o.answer = No
	}
	return o
}

// startFailed says why a child could not be cloned into namespaces.
func startFailed(namespaces uintptr, err error) outcome {
	var errno unix.Errno
	if !errors.As(err, &errno) || namespaces == 0 {
		return outcome{answer: Unknown, evidence: err.Error()}
	}
	o := outcome{answer: No, errno: errno, evidence: fmt.Sprintf("clone into new namespaces (%s): %s", flagNames(namespaces), unix.ErrnoName(errno))}
	if errno == unix.EAGAIN || errno == unix.ENOMEM {
		o.answer = Unknown
	}
	return o
}

// flagNames spells namespace flags.
func flagNames(flags uintptr) string {
	text := ""
	for _, n := range namespaceNames {
		if flags&n.flag != 0 {
			text += ", " + n.name
		}
	}
	return text[2:]
}

var namespaceNames = [...]struct {
	name string
	flag uintptr
}{
	{"user", unix.CLONE_NEWUSER}, {"mnt", unix.CLONE_NEWNS}, {"pid", unix.CLONE_NEWPID}, {"net", unix.CLONE_NEWNET},
	{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"cgroup", unix.CLONE_NEWCGROUP},
}

// probe is the child: it does one thing and reports it on stdout.
func probe(name string) int {
	probes := map[string]func() (string, error){
		"user_namespace": probeUserNamespace,
		"identity":       probeIdentity,
		"namespaces":     probeIdentity,
		"root":           probeRoot,
		"proc":           probeProc,
		"loopback":       probeLoopback,
		"capabilities":   probeCapabilities,
		"landlock":       probeLandlock,
		"seccomp":        probeSeccomp,
		"wait":           probeWait,
	}
	run, ok := probes[name]
	if !ok {
		return 2
	}
	// What a probe does to itself it does to one thread, and is then that thread's.
	runtime.LockOSThread()
	evidence, err := run()
	f := finding{Evidence: evidence, Profile: appArmorProfile()}
	var errno unix.Errno
	switch {
	case errors.As(err, &errno):
		f.Errno, f.Evidence = int(errno), err.Error()+" ("+unix.ErrnoName(errno)+")"
	case err != nil:
		f.Failed, f.Evidence = true, err.Error()
	}
	if json.NewEncoder(os.Stdout).Encode(f) != nil {
		return 1
	}
	return 0
}
