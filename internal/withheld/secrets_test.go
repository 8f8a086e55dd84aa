package withheld

import (
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Where programs that many have keep their tokens, and what was typed into them, no
// hint leads, for reading or writing, as a whole or to a file.
func TestNoHintLeadsToTokens(t *testing.T) {
	h := New()
	for _, place := range []string{
		".claude/.credentials.json", ".claude", ".claude.json", ".codex/auth.json", ".codex", ".gemini/oauth_creds.json", ".gemini", ".cache/huggingface/token", ".huggingface/token",
		".config/sops/age/keys.txt", ".m2/settings.xml", ".s3cfg", ".gem/credentials", ".bundle/config", ".composer/auth.json", ".config/composer/auth.json", ".config/hub",
		".config/glab-cli/config.yml", ".config/doctl/config.yaml", ".fly/config.yml", ".config/fly/x", ".config/configstore/firebase-tools.json", ".local/share/fish/fish_history",
		".zhistory", ".psql_history", ".mysql_history", ".node_repl_history", ".local/share/containers/auth.json", ".config/containers/auth.json", ".electrum/wallets/x",
		".bitcoin/wallet.dat", ".ethereum/keystore/x", ".ssh/id_rsa", ".aws/credentials", ".kube/config", ".config/gh/hosts.yml", ".git-credentials", ".netrc",
	} {
		for _, home := range []string{"/home/bob", "/srv/backup/bob"} {
			for _, use := range []Use{Read, Write} {
				if got := h.Why(File{Real: path.Join(home, place), Mode: unix.S_IFREG}, use); !strings.Contains(got, "keys and tokens") {
					t.Errorf("unhintable(%s/%s, %v) = %q, want a reason", home, place, use, got)
				}
			}
		}
	}
}

// The list can be read and added to: in order, and nothing of it said twice.
func TestSecretsAreInOrder(t *testing.T) {
	if !slices.IsSorted(secrets) || !slices.IsSorted(ofProjects) {
		t.Errorf("secrets or ofProjects are not in order: want %q and %q", slices.Sorted(slices.Values(secrets)), slices.Sorted(slices.Values(ofProjects)))
	}
	for i, s := range secrets {
		if path.IsAbs(s) || path.Clean(s) != s {
			t.Errorf("%q: want a path below a home", s)
		}
		for j, other := range secrets {
			if i != j && strings.Contains("/"+s+"/", "/"+other+"/") {
				t.Errorf("%q is said by %q already", s, other)
			}
		}
	}
	for _, s := range ofProjects {
		if !slices.Contains(secrets, s) {
			t.Errorf("%q of projects is not among the secrets", s)
		}
	}
}
