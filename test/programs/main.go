// Command programs runs real programs of the kinds that people put in boxes, each
// in three ways: in a box without any grant, traced; in the watching box of `jail
// learn`; and with the profile that was learned enforced, once heard and once
// traced. It prints what was refused, what was learned, and whether the enforced run
// ends as the watched one did, and writes the table of docs/learn.md.
//
//	go run ./test/programs [-only NAME,…] [-install] [-docs FILE]
//
// Programs that are not on this machine are left out, and said to be; -install asks
// Debian's package manager for them first (as root). Each run is bounded to a
// few minutes, and what runs is below a temporary folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/test/shipped"
)

func main() {
	only := flag.String("only", "", "names of programs, with commas between them")
	install := flag.Bool("install", false, "install the Debian packages of those that are missing")
	docs := flag.String("docs", "", "write the page there")
	flag.Parse()
	if err := run(*only, *install, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

func run(only string, install bool, docs string) error {
	dir, err := os.MkdirTemp("", "jail-programs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	jail := filepath.Join(dir, "jail")
	if err := shipped.Build(jail); err != nil {
		return err
	}
	var rows []row
	for _, p := range programs() {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		if install && !p.there() && p.packages != "" {
			installed(p.packages)
		}
		r := measure(jail, filepath.Join(dir, p.name), p)
		fmt.Print(r.text())
		rows = append(rows, r)
	}
	if docs == "" {
		return nil
	}
	return os.WriteFile(docs, []byte(page(rows)), 0o644)
}

// installed asks for packages; a program that is still missing says so in its row.
func installed(packages string) {
	cmd := exec.Command("timeout", append([]string{"300", "apt-get", "install", "-y", "-q", "--no-install-recommends"}, strings.Fields(packages)...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "programs: %s: %v: %s\n", packages, err, lastLine(out))
	}
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
