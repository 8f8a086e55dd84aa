package pid1

import _ "embed"

// image is init/init.c, built for this architecture by init/build.sh.
//
//go:embed init/init_amd64
var image string
