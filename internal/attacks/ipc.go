package attacks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// ipc: System V objects of the host.
func ipc() []Row {
	return []Row{
		{
			name: "shared memory of the host", source: "ipc_namespaces(7); isolate 2.6: boxes shared it",
			attack: func(args []string) error {
				key, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				id, err := unix.SysvShmGet(key, 0, 0)
				if err != nil {
					return err
				}
				memory, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
				if err != nil {
					return err
				}
				fmt.Printf("%s\n", memory[:64])
				return nil
			},
			arena: func(a *Arena) {
				key := int(rand.Int32())
				id, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|unix.IPC_EXCL|0o666)
				if err != nil {
					a.t.Fatal(err)
				}
				a.t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
				memory, err := unix.SysvShmAttach(id, 0, 0)
				if err != nil {
					a.t.Fatal(err)
				}
				copy(memory, a.secret)
				unix.SysvShmDetach(memory)
				a.Args(strconv.Itoa(key))
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.IPC},
		},
		{
			name: "message queue of the host", source: "CVE-2021-22555: msg_msg, the usual heap spray; userchroot#13; ipc_namespaces(7)",
			attack: func(args []string) error {
				key, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				id, err := rawSyscall(unix.SYS_MSGGET, uintptr(key), 0)
				if err != nil {
					return err
				}
				var message struct {
					kind int64
					text [64]byte
				}
				_, err = rawSyscall(unix.SYS_MSGRCV, id, pointer(&message), 64, 0, unix.IPC_NOWAIT)
				fmt.Printf("%s\n", message.text)
				return err
			},
			arena: func(a *Arena) {
				key := int(rand.Int32())
				id, err := rawSyscall(unix.SYS_MSGGET, uintptr(key), unix.IPC_CREAT|unix.IPC_EXCL|0o666)
				if err != nil {
					a.t.Fatal(err)
				}
				a.t.Cleanup(func() { rawSyscall(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0) })
				message := struct {
					kind int64
					text [64]byte
				}{kind: 1}
				copy(message.text[:], a.secret)
				if _, err := rawSyscall(unix.SYS_MSGSND, id, pointer(&message), 64, unix.IPC_NOWAIT); err != nil {
					a.t.Fatal(err)
				}
				a.Args(strconv.Itoa(key))
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.Seccomp, ablation.IPC},
		},
		{
			name: "POSIX message queue", source: "CVE-2017-11176: mq_notify; mq_overview(7): counts against the caller's own budget",
			attack: func(args []string) error {
				name, err := unix.BytePtrFromString(args[0])
				if err != nil {
					return err
				}
				queue, err := rawSyscall(unix.SYS_MQ_OPEN, pointer(name), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
				if err != nil {
					return err
				}
				_, err = rawSyscall(unix.SYS_MQ_UNLINK, pointer(name))
				return errors.Join(err, unix.Close(int(queue)))
			},
			arena: func(a *Arena) { a.Args("jail-escape-" + strconv.Itoa(int(rand.Int32()))) },
			// The queue is a new file to Landlock, in no folder that is granted,
			// and RLIMIT_MSGQUEUE leaves it no byte.
			walls: []ablation.Wall{ablation.Seccomp, ablation.Landlock, ablation.Rlimits},
		},
	}
}
