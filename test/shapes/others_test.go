package shapes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeProgram stands for an interpreter: it answers what the rows ask the real
// ones for, and says that it is a fake.
const fakeProgram = `
#include <stdio.h>
#include <string.h>
int main(int n, char **v) {
	const char *name = strrchr(v[0], '/') ? strrchr(v[0], '/') + 1 : v[0];
	if (n == 2 && !fopen(v[1], "r")) return 3;
	printf("fake %s of %d\n", name, n);
	return 0;
}
`

// alpineLike has musl's real loader, where Alpine has it, programs that are
// linked to it, and a busybox for a shell (which is Debian's, and static).
func alpineLike(t *testing.T, s store) tree {
	x := newTree(t)
	x.env, x.node, x.fake = "/usr/local/bin:/usr/bin:/bin", true, true
	musl := t.TempDir()
	s.unpack(t, musl, "musl", "musl-dev", "busybox-static")
	triplet := machine() + "-linux-musl"
	libc, libs := filepath.Join(musl, "lib", triplet, "libc.so"), filepath.Join(musl, "usr/lib", triplet)
	ld := "ld-musl-" + machine() + ".so.1"
	x.has(t, libc, "lib/"+ld)
	x.link(t, ld, "lib/libc.musl-"+machine()+".so.1")
	x.write(t, "etc/ld-musl-"+machine()+".path", "/lib:/usr/local/lib:/usr/lib\n")
	x.has(t, filepath.Join(musl, "bin/busybox"), "bin/busybox")
	x.link(t, "/bin/busybox", "bin/sh")
	source := filepath.Join(musl, "fake.c")
	if err := os.WriteFile(source, []byte(fakeProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "gcc", "-nostdinc", "-isystem", filepath.Join(musl, "usr/include", triplet), "-nostdlib", "-no-pie", "-fno-stack-protector",
		"-o", x.at("usr/bin/node"), filepath.Join(libs, "crt1.o"), filepath.Join(libs, "crti.o"), source,
		"-L"+x.at("lib"), "-l:libc.musl-"+machine()+".so.1", filepath.Join(libs, "crtn.o"), "-Wl,--dynamic-linker=/lib/"+ld)
	x.has(t, x.at("usr/bin/node"), "usr/bin/python3.11")
	x.link(t, "python3.11", "usr/bin/python3")
	x.has(t, x.at("usr/bin/node"), "home/anna/prog")
	return x
}

// nixosLike keeps each package below /nix/store, under a name of its own, has
// next to nothing in /usr and /bin, and programs in PATH by links over links.
func nixosLike(t *testing.T, s store) tree {
	x := newTree(t)
	x.env = "/run/wrappers/bin:/run/current-system/sw/bin"
	from := merged(t, s)
	patchelf := t.TempDir()
	s.unpack(t, patchelf, "patchelf")
	name := func(pkg string) string { return "nix/store/" + strings.Repeat("0123456789abcdfg", 2) + "-" + pkg }
	libc, python, sh, sw, etc := name("glibc-2.36"), name("python3-3.11"), name("dash-0.5"), name("system-path"), name("etc")
	x.mkdir(t, libc+"/lib")
	run(t, "sh", "-c", `cp -a "$1"/usr/lib/*-linux-gnu/*.so* "$2"/lib/`, "sh", from.path, x.at(libc))
	x.has(t, from.at(loader()), libc+"/lib/"+filepath.Base(loader()))
	x.mkdir(t, python+"/lib")
	run(t, "cp", "-a", from.at("usr/lib/python3.11"), x.at(python+"/lib/"))
	programs := map[string]string{"usr/bin/dash": sh + "/bin/sh", "usr/bin/python3.11": python + "/bin/python3.11"}
	if s.node != "" {
		x.node = true
		programs["usr/bin/node"] = name("nodejs-20") + "/bin/node"
	}
	for old, new := range programs {
		x.has(t, from.at(old), new)
		run(t, filepath.Join(patchelf, "usr/bin/patchelf"), "--set-interpreter", "/"+libc+"/lib/"+filepath.Base(loader()), "--set-rpath", "/"+libc+"/lib", x.at(new))
		x.link(t, "/"+new, sw+"/bin/"+filepath.Base(new))
	}
	x.link(t, "python3.11", python+"/bin/python3")
	x.link(t, "/"+python+"/bin/python3", sw+"/bin/python3")
	x.link(t, "/"+sw, name("nixos-system")+"/sw")
	x.link(t, "/"+name("nixos-system"), "run/current-system")
	x.mkdir(t, "run/wrappers/bin")
	x.link(t, "/"+sh+"/bin/sh", "bin/sh")
	x.has(t, x.at(sh+"/bin/sh"), "home/anna/prog")
	// Files of /etc are links to /etc/static, which is one into the store.
	run(t, "mv", x.at("etc/passwd"), x.at("passwd"))
	x.mkdir(t, etc+"/etc")
	run(t, "mv", x.at("passwd"), x.at(etc+"/etc/passwd"))
	x.write(t, etc+"/etc/hosts", "127.0.0.1 localhost\n")
	x.link(t, "/"+etc+"/etc", "etc/static")
	x.link(t, "/etc/static/passwd", "etc/passwd")
	x.link(t, "/etc/static/hosts", "etc/hosts")
	return x
}
