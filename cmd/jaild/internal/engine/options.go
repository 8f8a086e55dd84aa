package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// options is what the arguments say.
type options struct {
	memory  uint64 // bytes that a module may have
	timeout time.Duration
	dir     string // where the module starts, or ""
	grants  []grantOption

	interpreter bool
	javascript  bool
	module      string // a path, or - for stdin
	args        []string
}

type grantOption struct {
	path  string
	write bool
}

// parse reads the arguments behind `jaild wasm`.
func parse(args []string) (options, error) {
	var o options
	for len(args) > 0 && args[0] != "--" {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok {
			return o, fmt.Errorf("argument %q: must be --NAME=VALUE, before the -- that ends what the launcher decides", args[0])
		}
		if err := o.set(name, value); err != nil {
			return o, fmt.Errorf("%s %q: %w", name, value, err)
		}
		args = args[1:]
	}
	if len(args) == 0 || o.memory == 0 || o.timeout == 0 {
		return o, errors.New("is started in a box by `jail run --profile wasm MODULE` and `jail eval --profile wasm`, and not by hand")
	}
	return o, o.program(args[1:])
}

// set takes what the launcher has decided. Nothing can be decided twice.
func (o *options) set(name, value string) error {
	var err error
	switch name {
	case "--memory":
		if o.memory != 0 {
			return errTwice
		}
		if o.memory, err = strconv.ParseUint(value, 10, 63); err != nil || o.memory < pageSize {
			return errors.New("must be a number of bytes, a page of 64 KiB at least")
		}
	case "--timeout":
		if o.timeout != 0 {
			return errTwice
		}
		if o.timeout, err = time.ParseDuration(value); err != nil || o.timeout <= 0 {
			return errors.New("must be a time, such as 30s")
		}
	case "--cwd":
		if o.dir != "" {
			return errTwice
		}
		o.dir = value
		return checkPath(value)
	case "--ro", "--rw":
		o.grants = append(o.grants, grantOption{value, name == "--rw"})
		return checkPath(value)
	default:
		return errors.New("there is no such option; they are --memory, --timeout, --cwd, --ro and --rw")
	}
	return nil
}

var errTwice = errors.New("must not be there twice")

func checkPath(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return errors.New("must be an absolute path that is clean")
	}
	return nil
}

// program takes what the caller says: what runs, and nothing about what it may do.
func (o *options) program(args []string) error {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		switch args[0] {
		case "--interpreter":
			o.interpreter = true
		case "--javascript":
			o.javascript = true
		case "--":
			return o.names(args[1:])
		default:
			return fmt.Errorf("option %q: there is no such option before the module; there is --interpreter, which begins at once and runs ten times slower", args[0])
		}
		args = args[1:]
	}
	return o.names(args)
}

func (o *options) names(args []string) error {
	switch {
	case o.javascript && len(args) > 0:
		return fmt.Errorf("argument %q: must not be there: JavaScript comes on stdin, from `jail eval --profile wasm`", args[0])
	case o.javascript:
		return nil
	case len(args) == 0:
		return errors.New("module: must be there: the path of a WebAssembly module, or - for one on stdin")
	}
	o.module, o.args = args[0], args[1:]
	return nil
}
