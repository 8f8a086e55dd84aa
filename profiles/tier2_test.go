package profiles

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// In tier 2 there is nowhere to make files up, and OpenSSL's configuration is
// there. A file that a profile of the user's makes up stays, for package jail to
// refuse: it may be what the program needs.
func TestTier2(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.toml")
	text := "extends = \"base\"\n[view.files]\n\"/etc/own\" = \"x\"\n"
	if err := os.WriteFile(own, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"base": nil, "sh": nil, "node": nil, "python": nil, own: {"/etc/own"}} {
		p, err := Load(name, CurrentHost())
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{p: p, o: Overrides{Tier: jail.Tier2}, h: CurrentHost(), rw: map[string]bool{}, places: jail.NewPlaces()}
		b.profileView()
		var made []string
		for _, m := range b.view.mounts {
			if m.Kind == jail.MountFile {
				made = append(made, m.Target)
			}
		}
		if !slices.Equal(made, want) {
			t.Errorf("%s: made up %v, want %v", name, made, want)
		}
		if _, ok := b.view.get("/etc/ssl/openssl.cnf"); !ok {
			t.Errorf("%s: OpenSSL's configuration is not granted", name)
		}
	}
}
