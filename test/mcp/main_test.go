package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/test/shipped"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds jail and its companion as they are shipped, and puts them into PATH.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-test-mcp-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	jail := filepath.Join(dir, "jail")
	if err := errors.Join(shipped.Build(jail), shipped.BuildCompanion(jail)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	os.Setenv("JAIL_TEST_NPM", filepath.Join(dir, "npm"))
	return m.Run()
}

// The packages of other people's that are tested with.
var npmPackages = []string{
	"@modelcontextprotocol/sdk@1.32.2",
	"@modelcontextprotocol/client@2.4.0",
	"@modelcontextprotocol/server-everything@2026.8.31",
	"@modelcontextprotocol/server-filesystem@2026.8.31",
}

var install = sync.OnceValues(func() (string, error) {
	dir := os.Getenv("JAIL_TEST_NPM")
	return dir, shipped.InstallNpm(dir, npmPackages...)
})

// npm is a folder with the packages in node_modules. Where they can't be had the test
// is left out, loudly: that is nothing that this project can mend.
func npm(t *testing.T) string {
	t.Helper()
	dir, err := install()
	if err != nil {
		shipped.NotToBeHad(t, err.Error())
	}
	return dir
}

// eventually waits for something that others do.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
