package withheld

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// hostSecrets are those of the host itself.
var hostSecrets = []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/krb5.keytab",
	"/etc/NetworkManager/system-connections", "/etc/wireguard", "/run/secrets", "/var/lib/private", "/var/spool/cron", "/var/mail", "/var/spool/mail"}

// secrets are places of keys, tokens and what was typed or written to others, in
// whoever's home or copy of one; in order.
var secrets = []string{
	".Rhistory", ".Xauthority", ".aliyun", ".android/adbkey", ".android/debug.keystore", ".ansible_vault_pass", ".anthropic", ".aspnet/DataProtection-Keys", ".authinfo",
	".authinfo.gpg", ".aws", ".azure", ".bash_history", ".bitcoin", ".bitmonero", ".boto", ".bundle/config", ".cache/huggingface/stored_tokens", ".cache/huggingface/token",
	".cargo/credentials", ".cargo/credentials.toml", ".cf/config.json", ".circleci/cli.yml", ".claude", ".claude.json", ".cloudflared", ".codex", ".composer/auth.json",
	".config/.wrangler", ".config/Bitwarden", ".config/BraveSoftware", ".config/Element", ".config/Exodus", ".config/Signal", ".config/Slack", ".config/anthropic",
	".config/atuin", ".config/chromium", ".config/claude", ".config/composer/auth.json", ".config/configstore", ".config/containers/auth.json", ".config/discord",
	".config/doctl", ".config/fly", ".config/flyctl", ".config/gcloud", ".config/gh", ".config/git/credentials", ".config/github-copilot", ".config/glab-cli",
	".config/google-chrome", ".config/hcloud", ".config/helm/registry", ".config/hub", ".config/keepassxc", ".config/microsoft-edge", ".config/netlify", ".config/ngrok",
	".config/nushell/history.txt", ".config/op", ".config/openstack", ".config/pgcli", ".config/pip/pip.conf", ".config/pypoetry/auth.toml", ".config/rclone", ".config/scw",
	".config/solana", ".config/sops", ".config/stripe", ".config/vivaldi", ".config/weechat", ".databrickscfg", ".dbt/profiles.yml", ".docker", ".dockercfg", ".electrum",
	".erlang.cookie", ".ethereum", ".fetchmailrc", ".fly", ".gem/credentials", ".gemini", ".git-credentials", ".gitcookies", ".gnome2/keyrings", ".gnupg",
	".gradle/gradle.properties", ".huggingface", ".influxdbv2", ".ipython/profile_default/history.sqlite", ".irb_history", ".irssi", ".ivy2/.credentials", ".kaggle",
	".kube", ".lesshst", ".litecoin", ".local/share/atuin", ".local/share/com.vercel.cli", ".local/share/containers/auth.json", ".local/share/fish/fish_history",
	".local/share/keyrings", ".local/share/kwalletd", ".local/share/opencode/auth.json", ".local/share/uv/credentials", ".m2/settings-security.xml", ".m2/settings.xml",
	".mbsyncrc", ".mc/config.json", ".microsoft/usersecrets", ".monero", ".mongosh", ".mozilla", ".msmtprc", ".muttrc", ".my.cnf", ".mylogin.cnf", ".mysql_history",
	".mysqlsh", ".netrc", ".ngrok2", ".node_repl_history", ".npmrc", ".nuget/NuGet/NuGet.Config", ".oci", ".offlineimaprc", ".password-store", ".pgpass", ".pip/pip.conf",
	".psql_history", ".pulumi/credentials.json", ".purple", ".pypirc", ".python_history", ".qwen", ".rediscli_history", ".s3cfg", ".smbcredentials", ".snowsql",
	".sqlite_history", ".ssh", ".subversion/auth", ".supabase/access-token", ".tccli", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".thunderbird", ".tsh",
	".vault-token", ".vault_pass", ".viminfo", ".vnc/passwd", ".weechat", ".yarnrc.yml", ".zcash", ".zhistory", ".zsh_history", ".zsh_sessions", "_netrc", "id_dsa",
	"id_ecdsa", "id_ed25519", "id_rsa",
}

// ofProjects are names among those that many a project's own folder has, mostly without
// a secret, or with one that the project's programs are given by whoever grants it.
var ofProjects = []string{".Rhistory", ".bundle/config", ".claude", ".codex", ".docker", ".gemini", ".npmrc", ".qwen", ".yarnrc.yml"}

// secretName says whether a path is one of those places or lies in one.
func secretName(p string) bool {
	return slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(p+"/", "/"+s+"/") })
}

// placesByName are those places of which one is enough to keep back a folder that holds
// it, by the last part of their paths.
func placesByName() map[string][]string {
	places := make(map[string][]string, len(secrets))
	for _, s := range secrets {
		if !slices.Contains(ofProjects, s) {
			places[path.Base(s)] = append(places[path.Base(s)], s)
		}
	}
	return places
}

// secretIn is the place of those that a folder holds, or "".
func (h *Looks) secretIn(dir string) string {
	there := func(p string) bool { _, ok := h.look(p); return ok }
	for _, s := range secrets {
		if !slices.Contains(ofProjects, s) && there(path.Join(dir, s)) {
			return s
		}
		for at := strings.IndexByte(s, '/'); at >= 0; { // the folder may be the first part of it
			if rest := s[at+1:]; strings.HasSuffix(dir, "/"+s[:at]) && there(path.Join(dir, rest)) {
				return rest
			}
			next := strings.IndexByte(s[at+1:], '/')
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	for _, s := range hostSecrets {
		if rest, ok := strings.CutPrefix(s, dir+"/"); ok && there(s) {
			return rest
		}
	}
	return h.keyPlaceIn(dir)
}

// secretBehind is the place of those in the caller's home that is a link and leads to a
// path, around it or into it, as for whoever keeps settings in a repository; or "".
func (h *Looks) secretBehind(real string) string {
	if h.linkedSecrets == nil {
		h.linkedSecrets = map[string]string{}
		home, err := os.UserHomeDir()
		for _, s := range secrets {
			if f, ok := h.look(path.Join(home, s)); err == nil && ok && !strings.HasSuffix(f.Real, "/"+s) {
				h.linkedSecrets[path.Join(home, s)] = f.Real
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(h.linkedSecrets)) {
		if to := h.linkedSecrets[s]; pathname.Below(real, to) || pathname.Below(to, real) {
			return s
		}
	}
	return ""
}
