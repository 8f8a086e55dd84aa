package attacks

import "slices"

// families is the table's contents, in the order in which it is best read.
func families() []family {
	return []family{
		{"descriptors", slices.Concat(descriptors(), handed())},
		{"environment", environment()},
		{"pid1", slices.Concat(pid1(), pid1Files(), slow())},
		{"proc", slices.Concat(procfs(), hostFiles(), knobs())},
		{"devices", devices()},
		{"sockets", slices.Concat(sockets(), listening(), attackedFamilies())},
		{"namespaces", slices.Concat(namespaces(), more())},
		{"mounts", slices.Concat(mounts(), cover())},
		{"privileges", privileges()},
		{"files", slices.Concat(files(), onReadOnlyToo())},
		{"left behind", slices.Concat(left(), watches())},
		{"terminal", slices.Concat(terminal(), settings())},
		{"kernel", slices.Concat(kernel(), attic(), filters())},
		{"ipc", ipc()},
		{"leftovers", leftovers()},
		{"machine code", machineCode()},
		{"limits", slices.Concat(limits(), kernelMemory(), socketMemory())},
		{"outliving", outliving()},
		{"launcher", launcher()},
		{"neighbours", neighbours()},
	}
}
