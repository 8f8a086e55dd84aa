//go:build race

package soak

// The race detector keeps a shadow of all memory that was ever touched.
const rssGrowth = 256 * mib
