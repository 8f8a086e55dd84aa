// Package shapes runs jail on root trees as distributions lay them out, which
// its tests make from Debian's packages:
//
//	tree          layout                                  programs in it
//	merged        real: Debian 12 as installed            real: dash, python3, and this machine's node
//	split         real: Debian 12's packages, unpacked    the same
//	              without the links of merged /usr
//	fedora-like   fake: /usr/lib64, one folder for        the same files, moved; alternatives and
//	              programs, links over /etc/alternatives  ld.so.cache are ldconfig's and ours
//	alpine-like   fake: no merge, busybox                 real: musl's loader, and programs that are
//	                                                      linked to it; "python3" and "node" are fakes
//	nixos-like    fake: /nix/store, no /usr/lib,          the same files as merged, their loader and
//	              /etc/static, profiles of links          library paths set by patchelf
//
// No registry that this project uses has Alpine's, Fedora's or NixOS's own
// packages, so those three have their systems' layout and not their files.
//
// A tree is entered by pivot_root(2) in a mount namespace, as container engines
// do it: the kernel makes no user namespace for what is in a chroot. In each,
// jail runs programs as root and as an ordinary user.
package shapes
