#!/bin/sh
# Builds PID 1 for every architecture with Debian's gcc: build.sh [OUTPUT-FOLDER]
# The results are committed beside the source; a test runs this and compares.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
flags="-std=c11 -Os -Wall -Wextra -Werror -ffreestanding -nostdlib -static
	-fno-pie -no-pie -fno-stack-protector -fno-asynchronous-unwind-tables
	-fno-tree-loop-distribute-patterns -fcf-protection=none
	-Wl,-z,noseparate-code,-z,norelro,-z,noexecstack
	-Wl,--build-id=none -s"
# -fcf-protection is an x86 option, and branch protection the other's name for it.
x86_64-linux-gnu-gcc -Wl,-z,max-page-size=4096 $flags -o "$out/init_amd64" "$here/init.c"
aarch64-linux-gnu-gcc -Wl,-z,max-page-size=65536 $(echo "$flags" | sed 's/-fcf-protection=none/-mbranch-protection=none/') \
	-o "$out/init_arm64" "$here/init.c"
