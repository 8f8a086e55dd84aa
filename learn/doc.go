// Package learn makes a profile of what a program was seen to use.
//
// The program runs in a watching box: a box with all its walls, whose view is wide,
// and whose record tells of each path that is used (jail.Spec.Trace). From one or
// several such runs [From] makes the least that they needed, and [Learned.TOML]
// writes it down as a profile for a person to read. Nothing is ever run with it
// unless somebody says so by name.
//
// What a run did not do is not in the profile, and neither is what it was refused:
// that stands in it as a comment, with what would allow it. What the program does
// never widens what the next run of it may do. Nor is the profile ever wider than the
// watching box: what that had in the way of holes in its grants, calls denied and lower
// limits the profile has too.
package learn
