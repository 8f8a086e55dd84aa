package profiles

import "strings"

func isPath(name string) bool {
	return strings.Contains(name, "/") || strings.HasSuffix(name, ".toml")
}

func isProfileName(name string) bool {
	return name != "" && name[0] != '.' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
