// Command probe says what a program sees and may do, one JSON object on stdout. It is
// built for WASI, as a module, and for the host, as what would run in the place of the
// engine if that was broken out of.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

func main() {
	args := os.Args[1:]
	for len(args) > 0 && args[0] != "do" { // in the engine's place there are its arguments before
		args = args[1:]
	}
	found := map[string]any{"args": os.Args[1:], "env": os.Environ()}
	if wd, err := os.Getwd(); err == nil {
		found["dir"] = wd
	}
	did := map[string]string{}
	for _, arg := range args[min(1, len(args)):] {
		verb, operand, _ := strings.Cut(arg, "=")
		said, err := do(verb, operand)
		if err != nil {
			said = "error: " + err.Error()
		}
		did[arg] = said
	}
	found["did"] = did
	json.NewEncoder(os.Stdout).Encode(found)
}

// do does one thing, and says what came of it.
func do(verb, operand string) (string, error) {
	from, to, _ := strings.Cut(operand, ":")
	switch verb {
	case "read":
		text, err := os.ReadFile(operand)
		return string(text), err
	case "write":
		return "written", os.WriteFile(from, []byte(to), 0o644)
	case "append":
		f, err := os.OpenFile(from, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return "", err
		}
		defer f.Close()
		_, err = f.WriteString(to)
		return "written", err
	case "list":
		entries, err := os.ReadDir(operand)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		sort.Strings(names)
		return strings.Join(names, " "), err
	case "mkdir":
		return "made", os.Mkdir(operand, 0o755)
	case "remove":
		return "removed", os.Remove(operand)
	case "rename":
		return "renamed", os.Rename(from, to)
	case "symlink":
		return "linked", os.Symlink(from, to)
	case "link":
		return "linked", os.Link(from, to)
	case "readlink":
		return os.Readlink(operand)
	case "stat":
		info, err := os.Stat(operand)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(info.Mode().Type(), info.Size()), nil
	case "truncate":
		return "cut", os.Truncate(operand, 2)
	case "times":
		return "set", os.Chtimes(operand, time.Unix(1, 0), time.Unix(2, 0))
	case "walk":
		n := 0
		err := filepath.WalkDir(operand, func(string, os.DirEntry, error) error { n++; return nil })
		return fmt.Sprint(n), err
	case "stdin":
		text, err := io.ReadAll(os.Stdin)
		return string(text), err
	case "clock":
		began := time.Now()
		time.Sleep(20 * time.Millisecond)
		return fmt.Sprint(time.Since(began) > 10*time.Millisecond, time.Now().Year() > 2020), nil
	case "sleep":
		d, err := time.ParseDuration(operand)
		time.Sleep(d)
		return "slept", err
	case "dial":
		conn, err := net.DialTimeout("tcp", operand, time.Second)
		if err == nil {
			conn.Close()
		}
		return "connected", err
	case "exec":
		p, err := os.StartProcess(operand, []string{operand}, &os.ProcAttr{})
		if err == nil {
			p.Kill()
		}
		return "started", err
	case "stderr":
		fmt.Fprintln(os.Stderr, operand)
		return "written", nil
	case "answer":
		f := os.NewFile(3, "answer")
		if f == nil {
			return "", os.ErrInvalid
		}
		_, err := f.WriteString(operand)
		return "written", err
	}
	return "", fmt.Errorf("no verb %q", verb)
}
