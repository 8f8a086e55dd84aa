package profiles

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// What the parsers below accept, in words. Errors and faults quote these. How much
// a limit may be is said by jail.LimitRange.
const (
	wantSize     = "a whole number of bytes, or of KiB, MiB or GiB with K, M or G behind it, such as 256M"
	wantOutput   = wantSize + ", or unlimited"
	wantDuration = "a number with its unit, such as 500ms, 30s or 1m30s"
	wantCPUs     = "a decimal number of processors, such as 0.5 or 2"
	wantCount    = "a whole number"
)

// A valueError says which value was not understood, and what is accepted.
type valueError struct{ value, want string }

func (e *valueError) Error() string {
	return fmt.Sprintf("%q: accepted is %s", e.value, e.want)
}

// ParseSize reads a number of bytes: digits, then nothing or K, M or G (either
// case) for KiB, MiB, GiB. Zero, signs, fractions, exponents and other units
// are errors: a limit that was mistyped must not become another limit. A number
// that is too large for an int64 is the largest of those, which no limit may be.
func ParseSize(s string) (int64, error) {
	digits, shift := s, 0
	if s != "" {
		switch s[len(s)-1] {
		case 'K', 'k':
			digits, shift = s[:len(s)-1], 10
		case 'M', 'm':
			digits, shift = s[:len(s)-1], 20
		case 'G', 'g':
			digits, shift = s[:len(s)-1], 30
		}
	}
	n, ok := parseDigits(digits)
	if !ok || n < 1 {
		return 0, &valueError{s, wantSize}
	}
	if n > math.MaxInt64>>shift {
		return math.MaxInt64, nil
	}
	return n << shift, nil
}

const unlimited = "unlimited"

// ParseOutput is ParseSize for what a program may write, which may also be
// "unlimited".
func ParseOutput(s string) (int64, error) {
	if s == unlimited {
		return jail.Unlimited, nil
	}
	n, err := ParseSize(s)
	if err != nil {
		return 0, &valueError{s, wantOutput}
	}
	return n, nil
}

// ParseDuration reads a Go duration such as 1m30s. A number without a unit is
// an error, because its reader and its writer may think of different units.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, &valueError{s, wantDuration}
	}
	return d, nil
}

// ParseCPUs reads a share of processors such as 0.5 or 2.
func ParseCPUs(s string) (float64, error) {
	whole, frac, dot := strings.Cut(s, ".")
	if !onlyDigits(whole) || dot && !onlyDigits(frac) {
		return 0, &valueError{s, wantCPUs}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 {
		return 0, &valueError{s, wantCPUs}
	}
	return f, nil
}

// ParseCount reads a number of things, such as processes or open files. Too large
// a one is the largest int64, as with [ParseSize].
func ParseCount(s string) (int64, error) {
	n, ok := parseDigits(s)
	if !ok || n < 1 {
		return 0, &valueError{s, wantCount}
	}
	return n, nil
}

func parseDigits(s string) (int64, bool) {
	if !onlyDigits(s) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64) // the largest, where it is out of range
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

func onlyDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
