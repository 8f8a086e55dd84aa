package main

import (
	"os"
	"path/filepath"
	"slices"
)

// apparmorName is the suite that needs AppArmor's parser.
const apparmorName = "apparmor"

// parserVariable tells that suite where the parser is.
const parserVariable = "JAIL_TEST_APPARMOR"

// parserFor is the folder with AppArmor's parser, if it is needed.
func parserFor(cache string, chosen []suite) (string, error) {
	if !slices.ContainsFunc(chosen, func(s suite) bool { return s.name == apparmorName }) {
		return "", nil
	}
	return fetchParser(cache)
}

// fetchParser answers a folder with AppArmor's parser, from the cache or from Debian 13,
// with the libraries that it is linked against: the rule userns came with AppArmor 4.
func fetchParser(cache string) (string, error) {
	tree := filepath.Join(cache, "apparmor")
	if _, err := os.Stat(tree); err == nil {
		return tree, nil
	}
	a, err := openArchive(filepath.Join(cache, "apt", "apparmor"), []source{{"debian", "trixie"}})
	if err != nil {
		return "", err
	}
	part := tree + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := a.unpack(part, "apparmor", "libc6", "libgcc-s1", "libstdc++6"); err != nil {
		return "", err
	}
	return tree, os.Rename(part, tree)
}
