package attacks

import "slices"

// families is the table's contents, in the order in which it is best read.
func families() []family {
	return []family{
		{"descriptors", descriptors()},
		{"environment", environment()},
		{"pid1", slices.Concat(pid1(), slow())},
		{"proc", procfs()},
		{"sockets", sockets()},
		{"namespaces", namespaces()},
		{"mounts", mounts()},
		{"privileges", privileges()},
		{"files", files()},
		{"left behind", left()},
		{"terminal", terminal()},
		{"kernel", kernel()},
		{"ipc", ipc()},
		{"machine code", machineCode()},
		{"limits", slices.Concat(limits(), socketMemory())},
		{"outliving", outliving()},
		{"launcher", launcher()},
		{"neighbours", neighbours()},
	}
}
