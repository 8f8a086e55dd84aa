package jail

import "github.com/seed-75010da9/jail/internal/pid1"

// alongside begins a goroutine of a run. `jail run` has one processor until then,
// see pid1.Spread.
func alongside(f func()) {
	pid1.Spread()
	go f()
}
