package withheld

import (
	"testing"

	"github.com/seed-75010da9/jail/internal/testtree"
)

// closedTree is a home of somebody's, a copy of it elsewhere, and what lies around them.
func closedTree(t *testing.T, names ...string) string {
	t.Helper()
	return testtree.Home(t, testtree.Outside(t), names...)
}
