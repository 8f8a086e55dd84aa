package withheld

import (
	"slices"
	"testing"
)

// Which names of files are those of keys and tokens: by whole words, with copies, and
// without what is public or code.
func TestNamesOfKeys(t *testing.T) {
	for _, name := range []string{
		"localhost-key.pem", "localhost.pem", "application.pem", "canary.pem", "publish.pem", "ca-key.pem", "rootCA-key.pem", "cakey.pem", "privkey.pem", "client-cert-key.pem", "public-private.pem",
		"id_rsa", "id_rsa.bak", "id_rsa~", "id_rsa.1", "id_rsa (2)", "id_rsa_github", "id_ed25519_sk", "deploy_rsa", "server.key", "server.key.old", "server.key.2024-01-31", "server.key-copy",
		".env", ".env.local", ".env.production.bak", "prod.env", "prod.env.bak", ".env~", "secret.txt", "secret.yaml", "secrets.tar", "secrets.tar.gz", "password.txt", "passwords.csv", "apikey.txt", "api_key",
		"apiKey.json", "APIKey", "myPassword.txt", "credentials", "credentials.db", "Credentials.json", "tokens.db", "token.pickle", "token", "token.json", "github_token", "gcp-key.json", "key1.txt",
		"service-account.json", "serviceAccountKey.json", "auth.json", "kubeconfig", "kubeconfig.yaml", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "wallet.dat", "secring.gpg", "private.asc",
		"x.pkcs12", "x.pk8", "x.p8", "x.pfx", ".netrc", ".netrc.old", ".pgpass.bak", ".htpasswd", "vault.kdbx", "vault.kdbx.bak", "x.keytab", "#server.key#", ".server.key.swp", ".zsh_history.old", "mosquitto.passwd",
	} {
		if !keyFile(name) {
			t.Errorf("keyFile(%s) = false: words %q of %q", name, nameWords(original(name)), original(name))
		}
	}
	for _, name := range []string{
		"cacert.pem", "ca.pem", "fullchain.pem", "server-cert.pem", "rootCA.pem", "ca-bundle.crt", "server.crt", "public_key.pem", "id_rsa.pub", "id_ed25519.pub", "public.key", ".env.example", ".env.dist", "env", "env.json",
		"environment.yml", "token.py", "tokens.css", "key.go", "secret.rs", "private.h", "auth.md", "auth", "auth.log", "author.json", "tokenizer.json", "special_tokens_map.json", "added_tokens.json", "key_metrics.csv",
		"tokens.npy", "keyboard.json", "monkey.txt", "whiskey.json", "data.json", "config.yaml", "secrets.yaml.example", "README", "Makefile", "in.csv", "python3.11", "x.bak", "~", "", ".", "token.test.js.bak", "service.json",
	} {
		if keyFile(name) {
			t.Errorf("keyFile(%s) = true: words %q of %q", name, nameWords(original(name)), original(name))
		}
	}
	for name, want := range map[string]bool{"secrets": true, "Secrets": true, "secrets.old": true, ".ssh.bak": true, ".aws-old": true, "private": true, "keys": true, "auth": false, "token": false, "src": false, ".npmrc": false, "secretary": false} {
		if got := keyFolder(name); got != want {
			t.Errorf("keyFolder(%s) = %v", name, got)
		}
	}
	if got, want := nameWords("rootCA-key_v2.oldPEMFile"), []string{"root", "ca", "key", "v", "old", "pem", "file"}; !slices.Equal(got, want) {
		t.Errorf("nameWords: %q, want %q", got, want)
	}
}

// What was published has names of all kinds, and the names of branches say nothing.
func TestNamesOfWhatIsPublished(t *testing.T) {
	dir := closedTree(t, "me/.cargo/registry/src/tls/test-ca/server.key", "me/go/pkg/mod/x/testdata/private/key.pem", "job/.git/refs/heads/add-api-key", "job/.git/logs/refs/heads/token", "job/mk/localhost-key.pem", "job2/src/auth/token.ts")
	h := New()
	for p, refused := range map[string]bool{"me/.cargo/registry": false, "me/go/pkg/mod": false, "job/.git": false, "job": true, "job/mk": true, "job2": false} {
		f, ok := h.At(dir + "/" + p)
		if got := h.Why(f, Read); !ok || (got != "") != refused {
			t.Errorf("unhintable(%s) = %q, %v, want refused: %v", p, got, ok, refused)
		}
	}
	for p, refused := range map[string]bool{"/etc/passwd": false, "/etc/ssl/certs/ISRG_Root_X1.pem": false, "/srv/x/passwd": true, "/srv/ISRG_Root_X1.pem": true} {
		if got := keyName(p); got != refused {
			t.Errorf("keyName(%s) = %v", p, got)
		}
	}
}
