package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// As much as a request may have, in and out again, in a box of the default size for
// plain text.
func TestLarge(t *testing.T) {
	text := `"` + strings.Repeat("x", MaxRequest-100) + `"`
	for _, c := range []struct {
		l      Language
		source string
	}{{Node, "return input"}, {Python, "return input"}, {Sh, "cat"}} {
		t.Run(string(c.l), func(t *testing.T) {
			o := profiles.Overrides{Limits: jail.Limits{Timeout: 2 * time.Minute, Output: 128 << 20}}
			res := evaluate(t, c.l, Request{Source: c.source, Input: json.RawMessage(text)}, o)
			if res.Reason != jail.ReasonOK || string(res.Value) != text {
				t.Errorf("reason %s with a value of %d bytes, want ok with %d: %s; %.300s", res.Reason, len(res.Value), len(text), res.Message, res.Stderr.Text)
			}
			t.Logf("%d ms", res.Usage.WallMS)
		})
	}
}

// TestHuge: a value that is larger than a string of the language can be, or than there is
// memory for once more, is too large as any.
func TestHuge(t *testing.T) {
	for _, c := range []struct {
		l      Language
		source string
		memory int64
	}{
		{Node, "return 'x'.repeat(2 ** 29 - 24)", 3 << 30},
		{Node, "return {a: [Buffer.alloc(2 ** 29)]}", 3 << 30},
		{Node, "return {['x'.repeat(2 ** 29 - 24)]: 1}", 3 << 30},
		{Node, "return new Map([['x'.repeat(2 ** 29 - 24), 1]])", 3 << 30},
		{Python, "return 'x' * (150 << 20)", 256 << 20},
		{Python, "return [bytes(150 << 20)]", 256 << 20},
		{Python, "return {'x' * (150 << 20): 1}", 256 << 20},
	} {
		res := evaluate(t, c.l, Request{Source: c.source}, profiles.Overrides{Limits: jail.Limits{Timeout: time.Minute, Memory: c.memory}})
		if res.Reason != jail.ReasonOutputTooLarge {
			t.Errorf("%s: %s: reason %s, want output_too_large: %s", c.l, c.source, res.Reason, res.Message)
		}
	}
}

// A large source is one as well.
func TestLargeSource(t *testing.T) {
	for l, comment := range map[Language]string{Node: "//", Python: "#"} {
		source := fmt.Sprintf("%s%s\nreturn 1", comment, strings.Repeat("x", 8<<20))
		res := evaluate(t, l, Request{Source: source}, profiles.Overrides{})
		if res.Reason != jail.ReasonOK || string(res.Value) != "1" {
			t.Errorf("%s: reason %s, value %s, want ok and 1: %s", l, res.Reason, res.Value, res.Message)
		}
	}
}

// In tier 2 there is no file to hand in, and the runners need none.
func TestTier2(t *testing.T) {
	dir, err := os.MkdirTemp("/var/tmp", "jail-eval-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Setenv("PATH", "/usr/bin:/bin") // an interpreter that everybody may read
	for l, source := range map[Language]string{Node: "return 40 + input", Python: "return 40 + input", Sh: "read -r n; echo $((40 + n))"} {
		r := Request{Source: source, Input: json.RawMessage("2")}
		spec := specFor(t, l, r, profiles.Overrides{Tier: jail.Tier2})
		res, err := Eval(context.Background(), spec, l, r)
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		if res.Reason != jail.ReasonOK || string(res.Value) != "42" {
			t.Errorf("%s: reason %s, value %s, want ok and 42: %s %s", l, res.Reason, res.Value, res.Message, res.Stderr.Text)
		}
	}
}
