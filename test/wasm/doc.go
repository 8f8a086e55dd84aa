// Package wasm holds the profile wasm to what it says: what modules get and do not get,
// how each of their ends is told, and that the engine and the box are two walls, each of
// which holds alone.
package wasm
