//go:build !race

package soak

// The Go runtime keeps some of what it once needed for itself.
const rssGrowth = 16 * mib
