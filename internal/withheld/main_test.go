package withheld

import (
	"os"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/testtree"
)

// Looking has all the time that it wants, on a machine however busy, but where a test is of
// that.
func TestMain(m *testing.M) {
	Takes = time.Minute
	os.Exit(m.Run())
}

// closedTree is a home of somebody's, a copy of it elsewhere, and what lies around them.
func closedTree(t *testing.T, names ...string) string {
	t.Helper()
	return testtree.Home(t, testtree.Outside(t), names...)
}
