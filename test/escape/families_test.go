package escape

// families is the table's contents, in the order in which it is best read.
func families() []family {
	return []family{
		{"descriptors", descriptors()},
		{"environment", environment()},
		{"pid1", pid1()},
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
		{"limits", limits()},
		{"outliving", outliving()},
		{"launcher", launcher()},
		{"neighbours", neighbours()},
	}
}
