package escape

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/seed-75010da9/jail/internal/attacks"
)

// site is where everything happens. It is set once, before the first test.
var site *attacks.Site

func TestMain(m *testing.M) {
	attacks.Main()
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "escape:", err)
		code = 1
	}
	os.Exit(code)
}

// setUp makes the site, runs the tests and takes the site away again.
func setUp(m *testing.M) (code int, err error) {
	if site, err = attacks.NewSite(context.Background(), "jail-escape-", "/var/tmp"); err != nil {
		return 1, err
	}
	defer site.Close()
	// An emulated host says how many times slower it is.
	site.Slowness, _ = strconv.Atoi(os.Getenv("JAIL_TEST_SLOWNESS"))
	return m.Run(), nil
}

func skip(t *testing.T, why attacks.Reason) {
	t.Helper()
	if os.Getenv("CI") == "true" && !why.Inherent() {
		t.Fatal("cannot be carried out, and CI=true: ", why)
	}
	t.Skip(string(why))
}
