// Package mcp tests `jail mcp` as it is shipped: with the official library's client,
// with clients that others wrote, and with none that behaves. It also runs other
// people's servers of the same protocol in boxes (longlived_test.go).
package mcp
