package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// An order is what the caller is to run.
type order struct {
	Spec  jail.Spec
	Off   []ablation.Wall
	Where Place
	Stdio bool   // the program is connected to the caller's own stdin and stdout
	Key   string // put into the caller's session key ring
}

// place is where an attack runs.
type Place string

const (
	InBox Place = "box"
	// InReady is a box of a Pool, which stood before it was known what runs in it.
	InReady Place = "ready box"
	// InChild is a child of the caller, with all that a child inherits.
	InChild Place = "child"
	// InNaive is a launcher as one would write it first: namespaces of every
	// kind with the caller as their root, a fresh /proc, the caller's
	// environment and descriptors, and itself as PID 1. What needs
	// capabilities has its control here, where they count for nothing outside.
	InNaive Place = "naive"
)

// An Answer is what became of it.
type Answer struct {
	Result jail.Result
	Stdout string // what the program wrote
	Err    string // the run could not be made
	TookMS int64
	Noise  string // what the caller, and without a box the attack, wrote to stderr
}

// The caller's own descriptors, and the first number at which it leaks others:
// past those that jail itself gives to a box.
const (
	orderFD   = 3
	answerFD  = 4
	givenFD   = 5
	leakedFD  = 40
	leakedMax = 63
)

// callerMain carries one order out. The session key ring and the parent-death
// signal belong to a thread, so everything happens on one.
func callerMain() int {
	runtime.LockOSThread()
	unix.CloseOnExec(orderFD)
	unix.CloseOnExec(answerFD)
	for fd := givenFD; ; fd++ {
		if unix.Dup3(fd, leakedFD+fd-givenFD, 0) != nil {
			break
		}
		unix.Close(fd)
	}
	endWithParent()
	var o order
	if err := json.NewDecoder(os.NewFile(orderFD, "order")).Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, "caller: order:", err)
		return 1
	}
	started := time.Now()
	a, err := o.carryOut()
	a.TookMS = time.Since(started).Milliseconds()
	if err != nil {
		a.Err = err.Error()
	}
	if err := json.NewEncoder(os.NewFile(answerFD, "answer")).Encode(a); err != nil {
		fmt.Fprintln(os.Stderr, "caller: answer:", err)
		return 1
	}
	return 0
}

func (o order) carryOut() (Answer, error) {
	if o.Key != "" {
		if err := fillKeyring(o.Key); err != nil {
			return Answer{}, err
		}
	}
	if !o.Where.boxed() {
		return o.bare()
	}
	io := jail.IO{}
	if o.Stdio {
		io = jail.IO{Stdin: os.Stdin, Stdout: os.Stdout}
	}
	ctx := ablation.Without(context.Background(), o.Off...)
	run := jail.RunIO
	if o.Where == InReady {
		run = runReady
	}
	r, err := run(ctx, o.Spec, io)
	return Answer{Result: r, Stdout: r.Stdout.Text + r.Stdout.Tail}, err
}

func (p Place) boxed() bool { return p == InBox || p == InReady }

// runReady is RunIO in a box that was ready. Of a Spec that no box can be made from
// it has the refusal.
func runReady(ctx context.Context, spec jail.Spec, io jail.IO) (jail.Result, error) {
	p, err := jail.NewPool(ctx, spec, 1)
	if err != nil {
		return jail.RunIO(ctx, spec, io)
	}
	defer p.Close()
	return p.Run(ctx, jail.Command{Name: spec.Name, Args: spec.Args, Env: spec.Env}, io)
}

// bare runs the attack without a box. That the attack fails or dies is not an
// error.
func (o order) bare() (Answer, error) {
	cmd := exec.Command(o.Spec.Args[0], o.Spec.Args[1:]...)
	cmd.Dir = o.Spec.Dir
	cmd.Env = append(os.Environ(), o.Spec.Env...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	var out strings.Builder
	cmd.Stdout = &out
	if o.Stdio {
		cmd.Stdout = os.Stdout
	}
	if o.Where == InNaive {
		cmd.Args = append([]string{naiveName}, o.Spec.Args...)
		ids := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET |
				unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
			UidMappings: ids(os.Getuid()), GidMappings: ids(os.Getgid()),
		}
	}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return Answer{}, err
	}
	return Answer{Stdout: out.String()}, nil
}

// credential starts a process as the caller.
func (a *Arena) credential() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.role.UID), Gid: uint32(a.role.GID), Groups: a.groups}}
}

// naiveMain is PID 1 of InNaive. It ends on SIGTERM, as programs do.
func naiveMain(args []string) int {
	end := make(chan os.Signal, 1)
	signal.Notify(end, unix.SIGTERM, unix.SIGIO)
	go func() { <-end; os.Exit(3) }()
	for _, m := range []struct {
		kind, at string
		flags    uintptr
	}{{"", "/", unix.MS_REC | unix.MS_PRIVATE}, {"proc", "/proc", 0}} {
		if err := unix.Mount(m.kind, m.at, m.kind, m.flags, ""); err != nil {
			fmt.Println("naive: mount", m.at, err)
			return 1
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// fillKeyring gives the calling thread a session key ring of its own with one
// key in it.
func fillKeyring(secret string) error {
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keyctl: join session: %w", err)
	}
	if _, err := unix.AddKey("user", keyName, []byte(secret), unix.KEY_SPEC_SESSION_KEYRING); err != nil {
		return fmt.Errorf("add_key: %w", err)
	}
	return nil
}

const keyName = "jail-escape"
