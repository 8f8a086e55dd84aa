#!/usr/bin/env bash
# Sets up a fresh Debian 12 machine, builds jail and runs a real script in it:
#
#	./setup.sh             what the build needs, bin/jail, and a first run
#	./setup.sh --tests     besides, what the tests need; no first run
#
# It installs Debian packages (as root; else it says which are missing) and
# changes nothing else of the machine.
set -euo pipefail
cd "$(dirname "$0")"

tests=false
[ "${1:-}" = --tests ] && tests=true

# need COMMAND PACKAGE…: the packages, if the command is not there.
missing=()
need() {
	command -v "$1" >/dev/null 2>&1 || missing+=("${@:2}")
}

need git git
need node nodejs
need python3 python3
if $tests; then
	need gcc gcc libc6-dev
	need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	need pkg-config pkg-config
	need qemu-aarch64-static qemu-user-static
	need npm npm
	need bwrap bubblewrap
	[ -e /usr/include/seccomp.h ] || missing+=(libseccomp-dev)
fi
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "setup: as root: apt-get install ${missing[*]}" >&2
		exit 1
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Go 1.21 and later fetch the version that go.mod asks for. Debian 12 has one in
# its backports, found where the machine's other packages come from.
if ! command -v go >/dev/null 2>&1 && [ -x /usr/local/go/bin/go ]; then
	PATH=$PATH:/usr/local/go/bin
fi
if ! command -v go >/dev/null 2>&1; then
	if [ "$(id -u)" != 0 ] || [ ! -e /etc/apt/sources.list.d/debian.sources ]; then
		echo "setup: install Go 1.26 or newer (https://go.dev/dl)" >&2
		exit 1
	fi
	sed 's/^Suites: bookworm bookworm-updates$/Suites: bookworm-backports/; /^$/,$d' \
		/etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/backports.sources
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -t bookworm-backports golang-go ca-certificates >/dev/null
fi
[ "$(go env GOTOOLCHAIN)" != local ] || export GOTOOLCHAIN=auto

CGO_ENABLED=0 go build -trimpath -o bin/jail ./cmd/jail
$tests && exit 0

echo "setup: built bin/jail; now: bin/jail run --profile node test/hello.js"
exec bin/jail run --profile node test/hello.js
