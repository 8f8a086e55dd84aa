package attacks

import "slices"

// families is the table's contents, in the order in which it is best read.
func families() []family {
	return []family{
		{"descriptors", descriptors()},
		{"environment", environment()},
		{"pid1", slices.Concat(pid1(), pid1Files(), slow())},
		{"proc", slices.Concat(procfs(), hostFiles(), knobs())},
		{"devices", devices()},
		{"sockets", sockets()},
		{"namespaces", slices.Concat(namespaces(), more())},
		{"mounts", slices.Concat(mounts(), cover())},
		{"privileges", privileges()},
		{"files", files()},
		{"left behind", left()},
		{"terminal", terminal()},
		{"kernel", slices.Concat(kernel(), attic())},
		{"ipc", ipc()},
		{"machine code", machineCode()},
		{"limits", slices.Concat(limits(), socketMemory())},
		{"outliving", outliving()},
		{"launcher", launcher()},
		{"neighbours", neighbours()},
	}
}
