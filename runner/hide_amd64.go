package runner

import _ "embed"

//go:embed hide/hide_amd64.so
var hideLibrary []byte
