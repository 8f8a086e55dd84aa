package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// secretEnv gives the caller a secret in its environment.
func secretEnv(a *Arena) {
	a.env = append(a.env, "API_TOKEN="+a.secret)
	a.leaksSecret()
}

// environment: what the caller's environment holds.
func environment() []Row {
	return []Row{
		{
			name: "own environment", source: "sandbox-runtime, codex and sandlock pass the caller's environment on",
			attack: func([]string) error {
				fmt.Println(strings.Join(os.Environ(), "\n"))
				return nil
			},
			arena: secretEnv,
			walls: []ablation.Wall{ablation.EmptyEnv},
		},
		{
			name: "environ of every process in sight", source: "birdcage PR#64; DMOJ#318",
			attack: func([]string) error {
				files, err := filepath.Glob("/proc/[0-9]*/environ")
				for _, f := range files {
					show(f)
				}
				return err
			},
			arena: secretEnv,
			why:   "of a process in another user namespace the kernel shows it to nobody without CAP_SYS_PTRACE there, and a box always has one of its own",
		},
	}
}
