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
// limits the profile has too, and what it had read-only is never writable. What was seen
// are names, which the program can have mean something else for a while (it may rename
// the folders in memory that a mount lies in); what they are of is taken from the Spec.
//
// What a run did is to be possible again: what can't be granted by itself, such as a
// link, takes the folder that holds it, and what takes one mount gets one.
package learn
