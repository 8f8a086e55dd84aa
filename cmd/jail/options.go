package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// options is what the flags said, checked one by one but not yet together.
type options struct {
	help, json, quiet, tty bool
	timings, trace         bool
	why                    string
	fixHints, names        bool // of doctor and profiles

	profile       string
	over          profiles.Overrides
	hostname      string
	unix          bool
	stdin, record string
	via           string

	learn learnOptions
	serve serveOptions
	mcp   mcpOptions
	eval  evalOptions

	selftest selftestOptions
}

// The functions below make the set functions of flags from the fields that
// they set. A value that is not accepted is an error that says what is.

func on(field func(*options) *bool) func(*options, string) error {
	return func(o *options, _ string) error {
		*field(o) = true
		return nil
	}
}

// parsed stores what parse makes of a value. An empty value is never meant.
func parsed[T any](parse func(string) (T, error), field func(*options) *T) func(*options, string) error {
	return func(o *options, v string) error {
		if v == "" {
			return errEmpty
		}
		x, err := parse(v)
		if err != nil {
			// The value stands in the fault already.
			return errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("%q: ", v)))
		}
		*field(o) = x
		return nil
	}
}

// added is parsed for flags that may be repeated.
func added[T any](parse func(string) (T, error), field func(*options) *[]T) func(*options, string) error {
	return func(o *options, v string) error {
		var x T
		if err := parsed(parse, func(*options) *T { return &x })(o, v); err != nil {
			return err
		}
		*field(o) = append(*field(o), x)
		return nil
	}
}

// commas is added for values that are lists themselves.
func commas[T ~string](field func(*options) *[]T) func(*options, string) error {
	return func(o *options, v string) error {
		words := strings.Split(v, ",")
		if slices.Contains(words, "") {
			return errors.New("must be words with single commas between them")
		}
		for _, w := range words {
			*field(o) = append(*field(o), T(w))
		}
		return nil
	}
}

var errEmpty = errors.New("must not be empty")

// asIs takes a value as it is.
func asIs[T ~string](v string) (T, error) { return T(v), nil }

// recordName takes where the record is to go. "-" is standard output to most
// programs, where the program's own output goes here.
func recordName(v string) (string, error) {
	if v == "-" {
		return "", errors.New("must be a file or fd:N; --json prints the record on standard output, ./- is a file of that name")
	}
	return v, nil
}

// oneOf takes one of a few words.
func oneOf[T ~string](words ...T) func(string) (T, error) {
	return func(v string) (T, error) {
		if slices.Contains(words, T(v)) {
			return T(v), nil
		}
		return "", fmt.Errorf("must be one of %v%s", words, didYouMean(v, words))
	}
}

// didYouMean is a suggestion to put behind an error text, or "".
func didYouMean[T ~string](v string, words []T) string {
	var plain []string
	for _, w := range words {
		plain = append(plain, string(w))
	}
	if near := nearest(v, plain); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func tier(v string) (jail.Tier, error) {
	switch v {
	case "1":
		return jail.Tier1, nil
	case "2":
		return jail.Tier2, nil
	}
	return 0, errors.New("must be 1 or 2")
}

// layerNames are the layers that --optional accepts.
func layerNames() []string {
	var names []string
	for _, l := range jail.OptionalLayers {
		names = append(names, string(l))
	}
	return names
}
