#!/bin/sh
# Builds quickjs.wasm with Debian 12's clang: build.sh [OUTPUT-FOLDER [PACKAGE]]
# The result is committed beside this; a test runs it and compares. It is QuickJS-NG and
# wrapper.c, and what they need of wasi-libc; the licences are beside this. The source of
# QuickJS-NG is Debian's package qjs-src, from where this machine's packages come, or in
# the file PACKAGE. Debian has a version until there is a newer one, and then among its
# snapshots: exit status 3 where it is not to be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$here}" && pwd)
package=qjs-src_0.17.0-1_all.deb
sha256=04631979bdadaccffd76c1cb0aff5d07389aa889a90b6a902eba858a3a3b3988
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -ge 2 ]; then
	cp "$2" "$work/$package"
fi
cd "$work"
if [ $# -lt 2 ]; then
	pool=$(apt-get --print-uris download wasi-libc | sed -n "s|^'\(.*/pool/main\)/.*|\1|p")
	if [ -z "$pool" ]; then
		echo "build.sh: apt does not say where Debian is: run apt-get update" >&2
		exit 1
	fi
	/usr/lib/apt/apt-helper -o APT::Sandbox::User=root -qq download-file "$pool/q/quickjs-ng/$package" "$package" || exit 3
fi
echo "$sha256  $package" | sha256sum -c --quiet -
dpkg-deb -x "$package" .

# Small code is what is quick to compile, for which every start has to wait.
cc="clang-14 --target=wasm32-wasi -std=gnu11 -Oz -DNDEBUG -D_GNU_SOURCE -c
	-fno-inline-functions -ffunction-sections -fdata-sections"
source=usr/src/quickjs-ng
for part in quickjs libregexp libunicode dtoa; do
	$cc -w -o $part.o $source/$part.c
done
cp "$here/wrapper.c" .
$cc -Wall -Wextra -Werror -isystem $source -o wrapper.o wrapper.c
# The stack comes first, so that leaving it is leaving the memory: a trap.
wasm-ld-14 -O2 --gc-sections --strip-all --entry=_initialize --stack-first -z stack-size=1048576 \
	-o quickjs.wasm /usr/lib/wasm32-wasi/crt1-reactor.o wrapper.o quickjs.o libregexp.o libunicode.o dtoa.o \
	-L/usr/lib/wasm32-wasi -lc "$(clang-14 --target=wasm32-wasi -print-libgcc-file-name)"
chmod 644 quickjs.wasm
cp quickjs.wasm "$out/quickjs.wasm"
