#!/usr/bin/env bash
# Sets up a fresh Debian 12 machine, builds jail and runs a real script in it:
#
#	./setup.sh             what the build needs, bin/jail and bin/jaild, and a first run
#	./setup.sh --tests     besides, what the tests need; no first run
#
# It installs Debian packages as root; anyone else learns which are missing. Go
# may come from Debian's backports, which are read for that one installation:
# the machine's package sources stay as they are.
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
	[ -e /usr/lib/python3/dist-packages/numpy ] || missing+=(python3-numpy)
	need bwrap bubblewrap
	need strace strace
	need debootstrap debootstrap
	need qemu-system-x86_64 qemu-system-x86
	need mke2fs e2fsprogs
	need xz xz-utils
	need jq jq
	need clang-14 clang-14
	need wasm-ld-14 lld-14
	[ -e /usr/lib/wasm32-wasi/libc.a ] || missing+=(wasi-libc)
	[ -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a ] || missing+=(libclang-rt-14-dev-wasm32)
	[ -e /usr/include/seccomp.h ] || missing+=(libseccomp-dev)
fi

# has_go says whether there is a Go that can fetch the version that go.mod asks
# for: 1.21 and later do.
has_go() {
	local version
	version=$(GOTOOLCHAIN=local go version 2>/dev/null) || return 1
	[[ $version =~ go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]
}
if ! has_go && [ -x /usr/local/go/bin/go ]; then
	PATH=/usr/local/go/bin:$PATH
fi

if [ "$(id -u)" != 0 ]; then
	[ ${#missing[@]} -eq 0 ] || echo "setup: as root: apt-get install ${missing[*]}" >&2
	has_go || echo "setup: Go 1.21 or newer is missing: run ./setup.sh as root, or see https://go.dev/dl" >&2
	[ ${#missing[@]} -eq 0 ] && has_go || exit 1
fi

# install PACKAGE…; options of apt may come first.
install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# backports DIR copies the machine's package sources into DIR and adds Debian's
# backports, found where its other packages come from. An entry that names them
# already is left to do so. It fails where nothing says where Debian is.
backports() {
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] && cp "$file" "$1/"
	done
	[ ! -e "$1/sources.list" ] || mv "$1/sources.list" "$1/main.list"
	if grep -qsE '^[^#]*bookworm-backports' "$1"/*; then
		return
	fi
	# The one-line form, then stanzas of fields (sources.list(5)).
	awk '$1 == "deb" && !found {
		for (i = 2; i <= NF; i++) if ($i == "bookworm") {
			$i = "bookworm-backports"; print; found = 1
		}
	}' "$1"/*.list >"$1/added.list" 2>/dev/null || true
	[ -s "$1/added.list" ] && return
	rm -f "$1/added.list"
	awk 'BEGIN { RS = ""; FS = "\n" }
	/(^|\n)Types:[^\n]*deb( |\n|$)/ && /(^|\n)Suites:([^\n]* )?bookworm( |\n|$)/ && !/(^|\n)Enabled: *no/ && !found {
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^Suites:/) $i = "Suites: bookworm-backports"
			print $i
		}
		found = 1
	}' "$1"/*.sources >"$1/added" 2>/dev/null || true
	[ -s "$1/added" ] && mv "$1/added" "$1/added.sources"
}

if [ ${#missing[@]} -gt 0 ]; then
	apt-get update -qq
	install "${missing[@]}"
fi
if ! has_go; then
	parts=$(mktemp -d)
	trap 'rm -rf "$parts"' EXIT
	if ! backports "$parts"; then
		echo "setup: no entry for bookworm in /etc/apt to find Debian's backports by: install Go 1.21 or newer (https://go.dev/dl)" >&2
		exit 1
	fi
	from=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$parts" -o APT::Get::List-Cleanup=0)
	apt-get update -qq "${from[@]}"
	install "${from[@]}" -t bookworm-backports golang-go ca-certificates
fi
[ "$(go env GOTOOLCHAIN)" != local ] || export GOTOOLCHAIN=auto

CGO_ENABLED=0 go build -trimpath -ldflags='-E jail_entry' -o bin/jail ./cmd/jail
CGO_ENABLED=0 go build -trimpath -o bin/jaild ./cmd/jaild
# What the linker has written lies in memory page by page, and what is written at once
# in pieces as large as the kernel has, which cost a start fewer page faults: a twentieth
# to a tenth of it.
dd if=bin/jail of=bin/jail.copy bs=64M status=none && chmod 755 bin/jail.copy && mv bin/jail.copy bin/jail
if $tests; then
	exit 0
fi

# installing says what is left to do.
installing() {
	echo 'setup: to have it in your PATH, as all examples do, as root: install bin/jail bin/jaild /usr/local/bin/'
}

first=(bin/jail run --profile node test/hello.js)
echo "setup: built bin/jail and its companion bin/jaild; now: ${first[*]}"
status=0
"${first[@]}" || status=$?
if [ $status = 125 ] && bin/jail run -q --optional cgroup --profile node test/hello.js 2>/dev/null; then
	cat >&2 <<-'END'
		setup: jail is built and runs here, but has no control group to cap memory, CPU
		and processes with. Either go without those caps, by name, as this run did:
		  bin/jail run --optional cgroup --profile node test/hello.js
		or have a group made as `bin/jail doctor --fix-hints` says.
	END
	installing
	exit 0
fi
[ $status != 0 ] || installing
exit $status
