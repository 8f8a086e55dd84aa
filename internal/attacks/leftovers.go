package attacks

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// leftovers: what is there for the next run, or for the host, when a run is over.
func leftovers() []Row {
	inIPC := []ablation.Wall{ablation.IPC}
	return []Row{
		stays("a file in /tmp", "/tmp", "isolate 2.6; Jupyter and judge runners that share /tmp"),
		stays("a file in /dev/shm", "/dev/shm", "isolate 2.6: /dev/shm was not emptied"),
		object("a shared segment", "actiond PR#41: from one run to the next; ipcs(1): it lives until somebody removes it", inIPC,
			func(key uintptr) error {
				_, err := rawSyscall(unix.SYS_SHMGET, key, 4096, unix.IPC_CREAT|0o666)
				return err
			},
			func(key uintptr) error { return removed(unix.SYS_SHMGET, unix.SYS_SHMCTL, key, 0) }),
		object("a message queue", "actiond PR#41: from one run to the next; ipcs(1)", []ablation.Wall{ablation.IPC, ablation.Seccomp},
			func(key uintptr) error {
				_, err := rawSyscall(unix.SYS_MSGGET, key, unix.IPC_CREAT|0o666)
				return err
			},
			func(key uintptr) error { return removed(unix.SYS_MSGGET, unix.SYS_MSGCTL, key, 0) }),
		object("semaphores", "actiond PR#41: from one run to the next; ipcs(1); semget(2)", inIPC,
			func(key uintptr) error {
				_, err := rawSyscall(unix.SYS_SEMGET, key, 1, unix.IPC_CREAT|0o666)
				return err
			},
			func(key uintptr) error { return removed(unix.SYS_SEMGET, unix.SYS_SEMCTL, key, 1) }),
		{
			name: "shared memory of the host's by name", source: "shm_open(3); isolate 2.6: boxes shared /dev/shm",
			attack: func(args []string) error { return show(args[0]) },
			arena: func(a *Arena) {
				path := filepath.Join("/dev/shm", "jail-escape-"+filepath.Base(a.dir))
				if err := os.WriteFile(path, []byte(a.secret), 0o600); err != nil {
					a.t.Fatal(err)
				}
				a.t.Cleanup(func() { os.Remove(path) })
				a.Args(a.own(path))
				a.leaksSecret()
			},
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "semaphores of the host's", source: "userchroot#13: the host's ipc namespace; semop(2): hold up, or wake, whoever waits there",
			attack: func(args []string) error {
				key, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				id, err := rawSyscall(unix.SYS_SEMGET, uintptr(key), 1, 0)
				if err != nil {
					return err
				}
				const setValue = 16
				_, err = rawSyscall(unix.SYS_SEMCTL, id, 0, setValue, 7)
				return err
			},
			arena: func(a *Arena) {
				key := uintptr(rand.Int32())
				id, err := rawSyscall(unix.SYS_SEMGET, key, 1, unix.IPC_CREAT|unix.IPC_EXCL|0o666)
				if err != nil {
					a.t.Fatal(err)
				}
				a.t.Cleanup(func() { rawSyscall(unix.SYS_SEMCTL, id, 0, unix.IPC_RMID) })
				a.Args(strconv.Itoa(int(key)))
				a.effect = func(Answer) error {
					const getValue = 12
					if value, err := rawSyscall(unix.SYS_SEMCTL, id, 0, getValue); err != nil || value != 7 {
						return errors.Join(err, errors.New("it is as it was"))
					}
					return nil
				}
			},
			walls: inIPC,
		},
	}
}

// stays is a row for a file that is there for everybody when the run is over.
func stays(what, folder, source string) Row {
	return Row{
		name: what, source: source,
		attack: func(args []string) error { return os.WriteFile(args[0], []byte("OWNED"), 0o644) },
		arena: func(a *Arena) {
			path := filepath.Join(folder, "jail-escape-"+filepath.Base(a.dir))
			a.t.Cleanup(func() { os.Remove(path) })
			a.Args(path)
			a.effect = func(Answer) error {
				_, err := os.Stat(path)
				return err
			}
		},
		walls: hostWalls,
	}
}

// object is a row for a System V object that is there when the run is over; removed
// takes it away, or says that there is none.
func object(what, source string, walls []ablation.Wall, leave, removed func(key uintptr) error) Row {
	return Row{
		name: what, source: source,
		attack: func(args []string) error {
			key, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			return leave(uintptr(key))
		},
		arena: func(a *Arena) {
			key := uintptr(rand.Int32())
			a.Args(strconv.Itoa(int(key)))
			a.t.Cleanup(func() { removed(key) })
			a.effect = func(Answer) error { return removed(key) }
		},
		walls: walls,
	}
}

// removed removes a System V object, which its owner made for everybody.
func removed(get, control int, key, count uintptr) error {
	id, err := rawSyscall(uintptr(get), key, count, 0)
	if err != nil {
		return err
	}
	command := []uintptr{id, unix.IPC_RMID, 0}
	if control == unix.SYS_SEMCTL {
		command = []uintptr{id, 0, unix.IPC_RMID}
	}
	_, err = rawSyscall(uintptr(control), command...)
	return err
}
