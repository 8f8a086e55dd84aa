// Package escape carries the table of attacks out, with root and with an ordinary
// user as the caller, and looks at what is not a row of it. The table itself is
// internal/attacks, where it says how to read it and how to add to it: users have
// it on their own hosts as `jail selftest`.
package escape
