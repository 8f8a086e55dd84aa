package jail

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is wrong with a pool is found at once, all of it; and a box that can't be
// made is the error that Run has for it.
func TestNewPoolFaults(t *testing.T) {
	needLandlock(t)
	for name, c := range map[string]struct {
		size   int
		change func(*Spec)
		fields []string
	}{
		"no size":    {0, func(*Spec) {}, []string{"size"}},
		"negative":   {-1, func(*Spec) {}, []string{"size"}},
		"too many":   {1001, func(*Spec) {}, []string{"size"}},
		"tier 2":     {1, func(s *Spec) { s.Tier = Tier2 }, []string{"tier"}},
		"everything": {0, func(s *Spec) { s.Limits.Pids, s.Net = 1, "host" }, []string{"size", "limits.pids", "net"}},
		"no command": {1, func(s *Spec) { s.Args, s.Env, s.Name = nil, []string{"x"}, "a b" }, nil},
	} {
		s := shell("")
		c.change(&s)
		p, err := NewPool(t.Context(), s, c.size)
		if err == nil {
			p.Close()
		}
		var faults Faults
		errors.As(err, &faults)
		var fields []string
		for _, f := range faults {
			fields = append(fields, f.Field)
		}
		if !slices.Equal(fields, c.fields) || (err == nil) != (c.fields == nil) {
			t.Errorf("%s: NewPool: %v, want faults of %v", name, err, c.fields)
		}
	}
}

// Accepts compares everything but the command.
func TestPoolAccepts(t *testing.T) {
	needLandlock(t)
	p := newPool(t, t.Context(), shell(""), 1)
	for name, c := range map[string]struct {
		change func(*Spec)
		want   bool
	}{
		"itself":          {func(*Spec) {}, true},
		"another command": {func(s *Spec) { s.Name, s.Args, s.Env = "x", []string{"y"}, nil }, true},
		"a default named": {func(s *Spec) { s.Limits.Pids = DefaultLimits().Pids }, true},
		"another limit":   {func(s *Spec) { s.Limits.Pids = 7 }, false},
		"another grant":   {func(s *Spec) { s.View = s.View[1:] }, false},
		"a wall less":     {func(s *Spec) { s.Optional = []LayerName{LayerLandlock} }, false},
		"another call":    {func(s *Spec) { s.Seccomp.Allow = []string{"personality"} }, false},
		"another folder":  {func(s *Spec) { s.Dir = "/" }, false},
		"another profile": {func(s *Spec) { s.Profile = &ProfileRef{Name: "x"} }, false},
	} {
		s := shell("")
		c.change(&s)
		if got := p.Accepts(s); got != c.want {
			t.Errorf("%s: Accepts = %v, want %v", name, got, c.want)
		}
	}
}

// A profile is the same wherever its text lies.
func TestPoolAcceptsTheProfileOfOthers(t *testing.T) {
	ref := func(digest, file string) Spec {
		s := shell("")
		s.Limits = s.Limits.WithDefaults()
		s.Profile = &ProfileRef{Name: "x", Digest: digest, Files: []string{file}}
		return s
	}
	p := Pool{template: ref("d", "/a")}
	if !p.Accepts(ref("d", "/b")) || p.Accepts(ref("e", "/a")) {
		t.Errorf("Accepts of the same profile elsewhere, and of another there: %v, %v", p.Accepts(ref("d", "/b")), p.Accepts(ref("e", "/a")))
	}
}

// What a caller does to its Spec later is nothing to the boxes made from it.
func TestPoolOwnsItsSpec(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := shell("cat /data")
	s.View = append(s.View, ro(file, "/data"))
	p := newPool(t, t.Context(), s, 1)
	s.View[len(s.View)-1].Source = "/nonexistent"
	for range 3 {
		wantStdout(t, runWarm(t, p, commandOf(s), IO{}), "x")
	}
}
