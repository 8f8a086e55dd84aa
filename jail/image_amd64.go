package jail

import _ "embed"

// initImage is init/init.c, built for this architecture by init/build.sh.
//
//go:embed init/init_amd64
var initImage []byte
