package withheld

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// What the caller's variables name is run, loaded or read by his programs wherever it lies.

// A loadedIn is what is meant of a folder that a variable names.
type loadedIn int

const (
	codeIn   loadedIn = iota // what is called as code is
	prefixIn                 // what lies where a prefix has code
	allIn
	settingsIn // what lies there of programs that are known (settingsOf)
	namedIn    // the file itself: a folder may be where somebody works
)

// A namerGroup is variables of which one thing is known.
type namerGroup struct {
	why       string
	in        loadedIn
	commands  bool
	variables []string
}

// namers are variables by which something is run outside of boxes, each group with why
// nothing writes there (ld.so(8), environ(7), git(1), and the manuals of the languages).
var namers = []namerGroup{
	{"programs that you run load what lies in it, by ", codeIn, false, []string{
		"BASH_ENV", "CLASSPATH", "DOTNET_STARTUP_HOOKS", "EMACSLOADPATH", "ENV", "ERL_LIBS", "EXINIT", "GCONV_PATH", "GEM_HOME", "GEM_PATH", "GIO_EXTRA_MODULES", "GTK_PATH", "GUILE_LOAD_PATH", "GVIMINIT",
		"JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD", "LUA_CPATH", "LUA_INIT", "LUA_PATH", "MAKEFILES", "MAKEFLAGS",
		"MAVEN_OPTS", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "PERL5DB", "PERL5LIB", "PERL5OPT", "PERLLIB", "PHPRC", "PHP_INI_SCAN_DIR",
		"PYTHONPATH", "PYTHONSTARTUP", "QT_PLUGIN_PATH", "RUBYLIB", "RUBYOPT", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS", "R_LIBS_USER", "R_PROFILE", "R_PROFILE_USER", "TCLLIBPATH", "VIMINIT", "VIMRUNTIME", "_JAVA_OPTIONS"}},
	{"programs that you run load what lies in it, by ", prefixIn, false, []string{"PYTHONHOME", "PYTHONUSERBASE"}},
	{"programs that you run have it, or what lies in it, run as a command, by ", allIn, true, []string{
		"AR", "BROWSER", "CC", "CMAKE_TOOLCHAIN_FILE", "COMPILER_PATH", "CONFIG_SHELL", "CVS_RSH", "CXX", "EDITOR", "FCEDIT", "FPATH", "FZF_DEFAULT_COMMAND", "GCC_EXEC_PREFIX", "GOBIN", "GOFLAGS", "HGEDITOR", "HGMERGE", "LD", "LESSCLOSE", "LESSOPEN", "MAKE",
		"MANPAGER", "PAGER", "PNPM_HOME", "PROMPT_COMMAND", "RSYNC_RSH", "RUSTC", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "RUSTDOC", "RUSTFLAGS", "SHELL", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR",
		"SVN_EDITOR", "SVN_SSH", "SYSTEMD_EDITOR", "SYSTEMD_PAGER", "TERMINAL", "VISUAL"}},
	{"programs that you run are told what to do by what lies in it, by ", allIn, false, []string{
		"ANSIBLE_CONFIG", "CARGO_HOME", "CURL_HOME", "GOENV", "GOROOT", "GRADLE_USER_HOME", "HGRCPATH", "INPUTRC", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "MYVIMRC", "NPM_CONFIG_GLOBALCONFIG", "NPM_CONFIG_PREFIX",
		"NVM_DIR", "PYENV_ROOT", "RBENV_ROOT", "RUSTUP_HOME", "SCREENRC", "STARSHIP_CONFIG", "VOLTA_HOME", "WGETRC", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "npm_config_globalconfig", "npm_config_prefix"}},
}

// notOfGit are variables of git's by which nothing is run: all others are looked at.
var notOfGit = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_AUTHOR_DATE", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_CEILING_DIRECTORIES", "GIT_COMMITTER_DATE", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMON_DIR",
	"GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE"}

// A loadedPlace is what a variable names, as named or as what its links lead to.
type loadedPlace struct {
	at, variable, why string
	in                loadedIn
}

// means says whether what lies in the place is meant as well.
func (l loadedPlace) means(h *Looks, real string) bool {
	switch l.in {
	case codeIn:
		return h.code(real)
	case prefixIn:
		return inPrefix(real, l.at) || pathname.Below(real, path.Join(l.at, "bin"))
	case settingsIn:
		return isSetting(strings.TrimPrefix(real, l.at))
	case namedIn:
		return real == l.at
	}
	return true
}

// loadedBy are the places that the caller's variables name, there or not.
func (h *Looks) loadedBy() (list []loadedPlace) {
	const mostLoaded = 1 << 12
	has := map[loadedPlace]bool{}
	add := func(n namer) {
		if len(list) > mostLoaded {
			return
		}
		words, whole := pathWords(n.value, os.Getenv, h.stopped)
		if n.empty() {
			words = append(words, ".")
		}
		for _, word := range words {
			if h.stopped() {
				return
			}
			at := h.placed(word)
			switch full := path.IsAbs(word) || strings.HasPrefix(word, "~"); {
			case !full && n.in == namedIn:
				continue
			case !full:
				at = h.relative(n, word)
			}
			for _, p := range at {
				l := loadedPlace{p, n.variable, n.why, n.in}
				if n.in == namedIn {
					if f, ok := h.look(p); ok && f.Dir() {
						continue
					}
				}
				switch broad := h.broad(p); {
				case broad && strings.HasPrefix(n.variable, "XDG_"):
					l.in = settingsIn
				case slices.Contains(wholes, p) || slices.Contains(h.homes, p):
					continue
				}
				if !has[l] {
					has[l], list = true, append(list, l)
				}
			}
		}
		if !whole || len(list) > mostLoaded { // nothing is written to then
			list = append(list, loadedPlace{"/", n.variable, "there is too much to look at in what your variables name, as in ", allIn})
		}
	}
	for _, group := range namers {
		for _, variable := range group.variables {
			if value := os.Getenv(variable); value != "" {
				add(namer{variable, value, group.why, group.in, group.commands})
			}
		}
	}
	for _, variable := range keyVariables { // settings with keys say what is run as well
		if value := os.Getenv(variable); value != "" {
			add(namer{variable, value, "programs that you run read keys, tokens or settings there, by ", allIn, false})
		}
	}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "GIT_") && !slices.Contains(notOfGit, name) {
			add(namer{name, value, "git is told to run, or to read, what lies in it, by ", allIn, true})
		}
	}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.ContainsAny(value, "/~") && !known(name) {
			add(namer{name, value, "programs that you run may run or load it, by ", namedIn, false})
		}
	}
	return list
}

// places are variables that say where one is or may write, and nothing of programs.
var places = []string{"CI_BUILDS_DIR", "CI_PROJECT_DIR", "GITHUB_WORKSPACE", "HOME", "INIT_CWD", "LS_COLORS", "MAIL", "OLDPWD", "PATH", "PWD", "RUNNER_TEMP", "RUNNER_WORKSPACE", "TEMP", "TMP", "TMPDIR", "WORKSPACE", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "_"}

// known says whether a variable is looked at by what is known of it.
func known(name string) bool {
	return strings.HasPrefix(name, "GIT_") || slices.Contains(places, name) || slices.Contains(keyVariables, name) ||
		slices.ContainsFunc(namers, func(group namerGroup) bool { return slices.Contains(group.variables, name) })
}

// keyVariables name files or folders with keys, tokens or what was typed, or lists of them.
var keyVariables = []string{
	"ANSIBLE_VAULT_PASSWORD_FILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_CONFIG_DIR", "BOTO_CONFIG", "BUNDLE_USER_CONFIG", "CLAUDE_CONFIG_DIR",
	"CLOUDSDK_CONFIG", "CODEX_HOME", "CURL_HOME", "DATABRICKS_CONFIG_FILE", "DOCKER_CERT_PATH", "DOCKER_CONFIG", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "GNUPGHOME", "GOOGLE_APPLICATION_CREDENTIALS", "HCLOUD_CONFIG",
	"HELM_REGISTRY_CONFIG", "HF_TOKEN_PATH", "HISTFILE", "KAGGLE_CONFIG_DIR", "KRB5CCNAME", "KRB5_CLIENT_KTNAME", "KRB5_KTNAME", "KUBECONFIG", "LESSHISTFILE", "MYSQL_HISTFILE", "MYSQL_HOME", "NETRC",
	"NODE_REPL_HISTORY", "NPM_CONFIG_USERCONFIG", "OCI_CLI_CONFIG_FILE", "OP_CONFIG_DIR", "PASSWORD_STORE_DIR", "PGPASSFILE", "PGSERVICEFILE", "PIP_CONFIG_FILE", "PSQL_HISTORY", "PYTHON_HISTORY", "RCLONE_CONFIG",
	"REGISTRY_AUTH_FILE", "SNOWFLAKE_HOME", "SOPS_AGE_KEY_FILE", "SQLITE_HISTORY", "SSH_AUTH_SOCK", "SSLKEYLOGFILE", "TELEPORT_HOME", "TF_CLI_CONFIG_FILE", "VAULT_CONFIG_PATH", "WGETRC", "XAUTHORITY", "npm_config_userconfig",
}

// homeVariables name folders in the place of those in a home, some of which are for keys.
var homeVariables = []struct{ variable, place string }{
	{"ANDROID_USER_HOME", ".android"}, {"CARGO_HOME", ".cargo"}, {"CF_HOME", ".cf"}, {"COMPOSER_HOME", ".composer"}, {"GRADLE_USER_HOME", ".gradle"}, {"HF_HOME", ".cache/huggingface"}, {"IPYTHONDIR", ".ipython"},
	{"PULUMI_HOME", ".pulumi"}, {"XDG_CACHE_HOME", ".cache"}, {"XDG_CONFIG_HOME", ".config"}, {"XDG_DATA_HOME", ".local/share"}, {"XDG_STATE_HOME", ".local/state"},
}

// A keyPlace is where a variable says that keys lie, or what else is of a home at place.
type keyPlace struct {
	at, variable, place string
	broad               bool // Looks.broad
}

// keysBy are those of the caller's variables.
func (h *Looks) keysBy() (list []keyPlace) {
	add := func(variable, place string) {
		value := os.Getenv(variable)
		if value == "" {
			return
		}
		for _, word := range append(strings.Split(value, ":"), value) {
			if h.stopped() {
				return
			}
			for _, p := range h.placed(word, h.cwd) {
				broad := h.broad(p) && strings.HasPrefix(variable, "XDG_")
				if word != "" && (broad || !slices.Contains(wholes, p) && !slices.Contains(h.homes, p)) {
					list = append(list, keyPlace{p, variable, place, broad})
				}
			}
		}
	}
	for _, variable := range keyVariables {
		add(variable, "")
	}
	for _, v := range homeVariables {
		add(v.variable, v.place)
	}
	return list
}

// keysLie says why what lies at a path is private by a variable, or is "".
func (h *Looks) keysLie(real string) string {
	for _, k := range h.keys {
		if k.place == "" && pathname.Below(real, k.at) {
			return "it is where keys and tokens are kept, by " + k.variable
		}
	}
	if at := h.asOfHome(real, ""); at != "" && secretName("/"+at) {
		return "it is where somebody's keys and tokens are kept"
	}
	return ""
}

// asOfHome is where in a home a path would lie if no variable, called so, said otherwise,
// or "".
func (h *Looks) asOfHome(real, called string) string {
	for _, k := range h.keys {
		if k.place != "" && strings.HasPrefix(k.variable, called) && pathname.Below(real, k.at) && (!k.broad || isSetting(strings.TrimPrefix(real, k.at))) {
			return k.place + strings.TrimPrefix(real, k.at)
		}
	}
	return ""
}

// keyPlaceIn is what a folder holds of where variables say that keys lie, or "".
func (h *Looks) keyPlaceIn(dir string) string {
	there := func(p string) bool { _, ok := h.look(p); return ok }
	for _, k := range h.keys {
		rest := strings.TrimPrefix(k.at, strings.TrimSuffix(dir, "/")+"/")
		if k.place == "" {
			if rest != k.at && there(k.at) {
				return rest
			}
			continue
		}
		if !pathname.Below(dir, k.at) && !pathname.Below(k.at, dir) {
			continue
		}
		for _, s := range secrets {
			in, ok := strings.CutPrefix(s, k.place+"/")
			if p := path.Join(k.at, in); ok && p != dir && pathname.Below(p, dir) && there(p) {
				return strings.TrimPrefix(p, dir+"/")
			}
		}
	}
	return ""
}
