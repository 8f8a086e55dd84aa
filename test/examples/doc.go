// Package examples runs what examples/ and docs/ show: each client through every
// reason, and each block of shell in the pages as it is typed there.
package examples
