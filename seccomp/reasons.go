package seccomp

import "github.com/seed-75010da9/jail/seccomp/internal/policy"

// Why is the policy's reason for refusing a call, or some uses of it; "" for one
// that it allows.
func Why(call string) string { return policy.Why(call) }

// ByName says whether a box may well be given a refused call by name: the box's
// other walls hold what it does.
func ByName(call string) bool { return policy.ByName(call) }

// Fruitless is why a refused call is of no use to a box that is given it by name, since
// the kernel itself refuses it to a program without capabilities, or one of a box's
// limits does; "" for one that the kernel carries out, with some arguments at least.
func Fruitless(call string) string { return policy.Fruitless(call) }

// Refusals are arguments with which the policy refuses a call that it allows with others:
// some for each of its rules that does, but for those that known tells of.
func Refusals(call string, known [][6]uint64) [][6]uint64 { return policy.Refusals(call, known) }
