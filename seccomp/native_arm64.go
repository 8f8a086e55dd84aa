package seccomp

import _ "embed"

//go:embed default_arm64.bpf
var defaultFilter string

func native() machine { return arm64() }
