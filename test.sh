#!/usr/bin/env bash
# Installs what the tests need (as root) and runs all of them.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh --tests
if ! GOTOOLCHAIN=local go version 2>/dev/null | grep -qE 'go1\.(2[1-9]|[3-9][0-9])'; then
	PATH=/usr/local/go/bin:$PATH # as in setup.sh
fi
[ "$(go env GOTOOLCHAIN)" != local ] || export GOTOOLCHAIN=auto

step() { printf '\n== %s\n' "$*"; "$@"; }

unformatted=$(gofmt -l cmd cgroups examples internal jail learn profiles runner seccomp test)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted" >&2
	exit 1
fi
step go vet ./...
step env GOARCH=arm64 CGO_ENABLED=0 go vet ./cmd/... ./cgroups/... ./internal/... ./jail/... ./learn ./profiles/... ./runner ./seccomp
step go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
# One package at a time: they share the machine's control groups and two cores.
# Not from the cache: it does not see the binary that many of them run.
step go test -count=1 -p 1 -timeout 30m ./...
step go test -p 1 -timeout 30m -race -short ./cgroups ./jail ./profiles ./seccomp
# The attacks, the caps and the reasons on two more kernels, and the last two on
# version 1 of control groups, as root and as an ordinary user.
step go run ./test/guest -hosts qemu-6.1,qemu-6.12 -suites doctor,profiles,cgroups,reasons,escape
step go run ./test/guest -hosts qemu-6.1-v1:root,qemu-6.1-given -suites doctor,profiles,cgroups,reasons
# What the newest kernel's Landlock lets a box have more of: Unix sockets.
step go run ./test/guest -hosts qemu-7.3 -suites escape -run '(TestEscape|TestTier2)/.*/sockets'
