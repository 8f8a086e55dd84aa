package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// The binary that this package is in is four programs. As which it was started it
// knows from argv[0], because an attacker must not need an environment.
const (
	attackerName = "attack" // runs one row's attack
	callerName   = "caller" // plays the caller of jail
	naiveName    = "naive"  // a launcher as one would write it first
)

// Main is the first thing in the main of a binary that carries rows out: started
// as one of the table's own processes it does its work, and ends the process.
// Otherwise it returns.
//
// What the caller is ordered to do may take walls down. It comes over a
// descriptor from the process that started it, whose rights it has: whoever can
// give such an order can run the program without a box.
func Main() {
	switch filepath.Base(os.Args[0]) {
	case attackerName:
		os.Exit(attackMain(os.Args[1:]))
	case callerName, naiveName:
		// A copy of this binary may be set-user-ID for a moment, in a folder that
		// nobody else can enter. It is good for the attack alone.
		if os.Geteuid() != os.Getuid() || os.Getegid() != os.Getgid() {
			os.Exit(2)
		}
		if filepath.Base(os.Args[0]) == naiveName {
			os.Exit(naiveMain(os.Args[1:]))
		}
		os.Exit(callerMain())
	}
}

// attackMain runs the attack of the row that is named first, and says on
// stdout how it went.
func attackMain(args []string) int {
	if len(args) == 0 {
		return 2
	}
	// Capabilities and filters belong to a thread: what an attack gives up
	// or takes, its next call must find. On a busy machine the runtime goes on elsewhere
	// after one call in sixteen that had to wait.
	runtime.LockOSThread()
	for _, r := range append(append(Table(), Tier2Rows()...), Row{name: neighbourRow, attack: neighbourMain}) {
		if r.name != args[0] {
			continue
		}
		if err := r.attack(args[1:]); err != nil {
			fmt.Println(saidLost, err)
			return 1
		}
		fmt.Println(saidWon)
		return 0
	}
	fmt.Println("no such row:", args[0])
	return 2
}

const (
	saidWon  = "escape: won"
	saidLost = "escape: lost:"
)
