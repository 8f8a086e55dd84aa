package cgroups

import (
	"slices"
	"strings"
)

// remount is what to do where the hierarchies of version 1 that own are in are
// mounted nowhere.
func remount(own []membership) string {
	var hierarchies []string
	for _, m := range own {
		if slices.ContainsFunc(m.controllers, func(c string) bool { return slices.Contains(controllersV1[:], c) }) {
			hierarchies = append(hierarchies, strings.Join(m.controllers, ","))
		}
	}
	slices.Sort(hierarchies)
	return "mount the control groups, which are of version 1 here: mount -t tmpfs none " + mountRoot + "; for c in " + strings.Join(hierarchies, " ") +
		"; do mkdir " + mountRoot + "/$c && mount -t cgroup -o $c none " + mountRoot + "/$c; done; in a container, make " + mountRoot + " visible in it"
}
