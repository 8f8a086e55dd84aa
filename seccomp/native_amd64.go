package seccomp

import _ "embed"

//go:embed default_amd64.bpf
var defaultFilter string

func native() machine { return amd64() }
