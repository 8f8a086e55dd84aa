package profiles

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// environment is the whole environment of the program, sorted. Later sources
// replace earlier ones: the profile's env.set, the profile's env.pass where
// the caller has the variable, --pass-env and --env.
func (b *builder) environment() []string {
	env := maps.Clone(b.p.settings.env.set)
	if env == nil {
		env = map[string]string{}
	}
	if path, ok := env["PATH"]; ok && b.binDir != "" {
		env["PATH"] = b.binDir + ":" + path
	}
	for _, key := range b.p.settings.env.pass {
		if v, ok := b.h.lookup(key); ok {
			env[key] = v
		}
	}
	given := map[string]bool{}
	for _, key := range b.o.PassEnv {
		v, ok := b.h.lookup(key)
		switch {
		case !isEnvKey(key):
			b.fault("--pass-env", key, "the name of a variable, without '='")
		case !ok:
			b.fault("--pass-env", key, "a variable that is set; use --env NAME=VALUE to set one")
		case given[key]:
			b.fault("--pass-env", key, "each variable once")
		}
		given[key], env[key] = true, v
	}
	for _, kv := range b.o.Env {
		key, v, ok := strings.Cut(kv, "=")
		switch {
		case !ok || !isEnvKey(key) || strings.ContainsRune(v, 0):
			b.fault("--env", kv, "NAME=VALUE, with a NAME that is not empty, and without NUL")
		case given[key]:
			b.fault("--env", kv, "each variable once; "+shellword.Quote(key)+" is given twice")
		}
		given[key], env[key] = true, v
	}
	list := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		list = append(list, key+"="+env[key])
	}
	return list
}

// variable is the value that a variable will have in the box, or "".
func (b *builder) variable(key string) string {
	for _, kv := range b.o.Env {
		if k, v, _ := strings.Cut(kv, "="); k == key {
			return v
		}
	}
	if v, ok := b.h.lookup(key); ok && (slices.Contains(b.o.PassEnv, key) || slices.Contains(b.p.settings.env.pass, key)) {
		return v
	}
	return b.p.settings.env.set[key]
}
