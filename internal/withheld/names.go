package withheld

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// A file is known for one with keys or tokens by the words of its name, whole ones: what
// is called localhost-key.pem is no certificate of a CA for the letters in it. A copy of a
// file is what the file is.

// keyFile says whether a file is called as those with keys and tokens in them are.
func keyFile(name string) bool {
	hidden := strings.HasPrefix(name, ".") && strings.Contains(strings.ToLower(name), "history")
	name = original(name)
	parts, ext := nameWords(name), strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	has := func(list []string) bool {
		return slices.ContainsFunc(parts, func(w string) bool { return slices.Contains(list, w) })
	}
	_, place := slices.BinarySearch(secrets, name)
	secret, public := has(secretWords), has(publicWords)
	switch {
	case hidden, place && !slices.Contains(ofProjects, name):
		return true
	case slices.Contains(sourceEndings, ext), has(exampleWords), ext == "dist":
		return false
	case ext == "pem":
		return secret || has(keyWords) && !public || !public && !has(certificateWords)
	case slices.Contains(keyEndings, ext):
		return secret || !public
	case isEnv(strings.ToLower(name)), secret:
		return true
	case public, slices.Contains(tableEndings, ext), has(countWords):
		return false
	}
	return has(keyWords) || has([]string{"auth", "oauth"}) && slices.Contains(settingEndings, ext) || has([]string{"service"}) && has([]string{"account"})
}

// keyFolder is what the name of a folder decides of all in it.
func keyFolder(name string) bool {
	first := original(name)
	_, place := slices.BinarySearch(secrets, first)
	return slices.Contains([]string{"credentials", "creds", "keys", "keystore", "passwords", "private", "secret", "secrets", "wallets"}, strings.ToLower(first)) ||
		place && first != name
}

var (
	// secretWords say in any file but of code or text that it is nobody else's.
	secretWords = []string{"cred", "credential", "credentials", "creds", "htpasswd", "keyring", "keystore", "keytab", "kubeconfig", "mnemonic", "netrc", "passphrase", "passphrases",
		"passwd", "password", "passwords", "pgpass", "priv", "private", "privatekey", "privkey", "seckey", "secret", "secretkey", "secrets", "secring", "tfstate", "tfvars", "wallet", "wallets"}
	// keyWords do so unless something says that it is public, or counts them.
	keyWords = []string{"accesskey", "apikey", "apikeys", "authkey", "cakey", "deploykey", "dsa", "ecdsa", "ed25519", "hostkey", "key", "keys", "masterkey", "rsa", "serverkey", "signingkey",
		"sshkey", "token", "tokens"}
	publicWords      = []string{"pub", "pubkey", "public", "publickey"}
	certificateWords = []string{"bundle", "ca", "cabundle", "cacert", "cacerts", "cert", "certificate", "certificates", "certs", "chain", "crl", "crt", "csr", "dhparam", "dhparams", "fullchain"}
	exampleWords     = []string{"example", "examples", "sample", "samples", "template", "tmpl"}
	// countWords are of files about words or columns that are called so.
	countWords = []string{"added", "count", "counts", "foreign", "primary", "special", "stats", "tokenizer", "usage", "vocab"}

	// keyEndings are of formats for keys, or for what is kept under a password.
	keyEndings     = []string{"agekey", "bks", "jks", "kdb", "kdbx", "key", "keychain", "keystore", "keytab", "ovpn", "p12", "p8", "pfx", "pk8", "pkcs12", "pkcs8", "ppk", "psafe3", "tfstate"}
	settingEndings = []string{"cfg", "conf", "db", "ini", "json", "toml", "txt", "xml", "yaml", "yml"}
	tableEndings   = []string{"arrow", "bin", "csv", "feather", "gguf", "h5", "npy", "npz", "onnx", "parquet", "pt", "pth", "safetensors", "sql", "tsv"}
	// sourceEndings are of what people write for others to read, to look at or to run.
	sourceEndings = []string{"adoc", "astro", "bash", "c", "cc", "cjs", "class", "cpp", "cs", "css", "cxx", "dart", "el", "ex", "exs", "gif", "go", "h", "hpp", "hs", "htm", "html", "ico", "java",
		"jpeg", "jpg", "js", "jsx", "kt", "less", "lua", "map", "md", "mjs", "ml", "mts", "o", "php", "pl", "pm", "png", "po", "proto", "py", "pyc", "pyi", "r", "rb", "rs", "rst", "scala", "scss", "sh",
		"snap", "so", "svelte", "svg", "swift", "tex", "ts", "tsx", "ttf", "vue", "wasm", "webp", "woff", "woff2", "zig"}
)

// nameWords are those of a name, in small letters: between what is neither letter nor digit,
// and where a small letter is followed by a large one, or large ones by a word that begins
// with one. A number at the end of a word is none of it, but in ed25519.
func nameWords(name string) (list []string) {
	letters, begin := []rune(name), 0
	cut := func(end int) {
		if w := strings.ToLower(string(letters[begin:end])); w != "" {
			if short := strings.TrimRight(w, "0123456789"); w != "ed25519" && short != "" {
				w = short
			}
			list = append(list, w)
		}
		begin = end
	}
	for i, c := range letters {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			cut(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(c) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			cut(i)
		}
	}
	cut(len(letters))
	return list
}

// original is the name of what a file is a copy of: without what editors, people and tools
// put behind it or around it, or the name.
func original(name string) string {
	for {
		short := strings.TrimRight(strings.TrimPrefix(name, "#"), "~# ")
		if at := strings.TrimRight(short, "()0123456789"); at != short && strings.TrimRight(at, ".-_ ") != at {
			short = strings.TrimRight(at, ".-_ (")
		}
		for _, end := range []string{"bak", "backup", "bkp", "copy", "disabled", "new", "old", "orig", "prev", "save", "saved", "swo", "swp", "tmp"} {
			if at := len(short) - len(end) - 1; at > 0 && strings.EqualFold(short[at+1:], end) && strings.ContainsAny(short[at:at+1], ".-_ ") {
				short = short[:at]
			}
		}
		if short == "" || short == name {
			return name
		}
		name = short
	}
}

// isEnv says whether a name, in small letters, is that of a file with variables: .env,
// prod.env, .env.local.
func isEnv(name string) bool {
	_, after, ok := strings.Cut(name, ".env")
	return ok && (after == "" || !unicode.IsLetter(rune(after[0])) && !unicode.IsDigit(rune(after[0])))
}
