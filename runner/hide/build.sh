#!/bin/sh
# Builds the library for every architecture with Debian's gcc: build.sh [OUTPUT-FOLDER]
# The results are committed beside the source; a test runs this and compares.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
flags="-std=c11 -Os -Wall -Wextra -Werror -ffreestanding -nostdlib -shared -fPIC
	-fno-stack-protector -fno-asynchronous-unwind-tables
	-Wl,-init=hide,-z,noexecstack,-z,norelro,-z,noseparate-code
	-Wl,--hash-style=gnu,--build-id=none -s"
x86_64-linux-gnu-gcc -Wl,-z,max-page-size=4096 -fcf-protection=none $flags -o "$out/hide_amd64.so" "$here/hide.c"
aarch64-linux-gnu-gcc -Wl,-z,max-page-size=65536 -mbranch-protection=none $flags -o "$out/hide_arm64.so" "$here/hide.c"
