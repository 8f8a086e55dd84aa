// Package apparmor shows, on a kernel whose AppArmor mediates user namespaces, that
// the shipped profile gives them to the installed jail alone. It holds tests only,
// which are a suite of test/guest's: they load profiles, so they want a kernel of
// their own.
//
// What keeps namespaces from programs without a profile is Ubuntu's own sysctl. Here
// two profiles that confine a shell stand for it: one has no rule userns, the other no
// capability. That a namespace is made and nothing may be mounted in it, as on Ubuntu,
// is not to be had by them.
package apparmor
