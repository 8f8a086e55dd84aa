package runner

import _ "embed"

//go:embed hide/hide_arm64.so
var hideLibrary []byte
