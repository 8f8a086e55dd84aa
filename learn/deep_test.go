package learn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// However deep what a program used lies, the work on it goes by how much text the paths
// are.
func TestDeepPaths(t *testing.T) {
	var uses []jail.PathUse
	at := "/proj"
	for range 1900 {
		at += "/a"
		uses = append(uses, madeDir(at))
	}
	for i := range 1800 {
		uses = append(uses, made(fmt.Sprintf("%s/f%d", at, i)), read(fmt.Sprintf("%s/r%d", at, i)), by(fmt.Sprintf("%s/l%d", at, i), read(fmt.Sprintf("%s/r%d", at, i))))
		in := jail.PathUse{Path: fmt.Sprintf("%s/e%d", at, i), Real: at, Dir: true, Entered: true, Used: true}
		uses = append(uses, in)
	}
	w := watched(uses...)
	for i := range 500 {
		w.Result.Used.Moves = append(w.Result.Used.Moves, [2]string{"/proj" + strings.Repeat("/a", 1800-i), "/proj" + strings.Repeat("/a", 1799-i) + "/b"})
	}
	began := time.Now()
	l := From("base", []string{"x"}, []Watched{w})
	l.TOML()
	l.WithoutListings()
	if took := time.Since(began); took > 10*time.Second { // one, if nothing else runs; it was minutes
		t.Errorf("%v", took)
	}
}
