package mcp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// The packages of other people's that are tested with. They are installed when the
// tests run and are no part of this repository.
var npmPackages = []string{
	"@modelcontextprotocol/sdk@1.32.2",
	"@modelcontextprotocol/client@2.4.0",
	"@modelcontextprotocol/server-everything@2026.8.31",
	"@modelcontextprotocol/server-filesystem@2026.8.31",
}

// installTime is how long the registry may take.
const installTime = "180s"

var install = sync.OnceValues(func() (string, error) {
	dir := os.Getenv("JAIL_TEST_NPM")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return "", err
	}
	command := append([]string{installTime, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, npmPackages...)
	npm := exec.Command("timeout", command...)
	npm.Dir = dir
	out, err := npm.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm install: %w: %.300s", err, out)
	}
	return dir, nil
})

// npm is a folder with the packages in node_modules. Where they can't be had the test
// is left out, loudly: that is nothing that this project can mend.
func npm(t *testing.T) string {
	t.Helper()
	dir, err := install()
	if err != nil {
		fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %v\n", t.Name(), err)
		t.Skip(err)
	}
	return dir
}

// eventually waits for something that others do.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
