package seccomp

// argumentVerdict is the answer to calls whose arguments are looked at, and
// ENOSYS to the rest.
func argumentVerdict(name string, args [6]uint64) uint32 {
	low := func(i int) uint32 { return uint32(args[i]) }
	switch name {
	case "creat", "mkdir", "chmod", "fchmod":
		return modeVerdict(low(1))
	case "mkdirat", "fchmodat":
		return modeVerdict(low(2))
	case "open":
		return openVerdict(low(1), low(2))
	case "openat":
		return openVerdict(low(2), low(3))
	case "mknod":
		return nodeVerdict(low(1))
	case "mknodat":
		return nodeVerdict(low(2))
	case "renameat2":
		if low(4)&4 != 0 { // RENAME_WHITEOUT
			return eperm
		}
		return allow
	case "fcntl":
		return fcntlVerdict(low(1), low(2))
	case "ioctl":
		switch low(1) & 0xffff {
		case 0x5412, 0x541c, 0x541d, 0x5423, 0x8901, 0x8902:
			return eperm
		}
		return allow
	case "clone":
		// mount, cgroup, uts, ipc, user, pid, net
		if low(0)&(0x00020000|0x02000000|0x04000000|0x08000000|0x10000000|0x20000000|0x40000000) != 0 {
			return eperm
		}
		return allow
	case "socket":
		return nofamily
	case "socketpair":
		return pairVerdict(low(0), low(1))
	case "mmap":
		return refuseIf(low(3)&0x40000 != 0)
	case "madvise":
		return refuseIf(low(2) == 12) // MADV_MERGEABLE
	case "memfd_create":
		return refuseIf(low(1)&4 != 0)
	case "seccomp":
		return refuseIf(low(1)&8 != 0) // SECCOMP_FILTER_FLAG_NEW_LISTENER
	case "setsockopt":
		return refuseIf(low(1) == 1 && (low(2) == 26 || low(2) == 51)) // SOL_SOCKET; SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF
	case "shmget":
		return refuseIf(low(2)&0o4000 != 0)
	case "personality":
		switch low(0) {
		case 0, 0x40000, 0xffffffff:
			return allow
		}
		return enosys
	case "setrlimit":
		return limitVerdict(low(0))
	case "prctl":
		return prctlVerdict(low(0))
	}
	return namedVerdict(name, args)
}

func refuseIf(bad bool) uint32 {
	if bad {
		return eperm
	}
	return allow
}

func modeVerdict(mode uint32) uint32 { return refuseIf(mode&06000 != 0) }

func openVerdict(flags, mode uint32) uint32 {
	if flags&0o100 == 0 && flags&0o20000000 == 0 { // O_CREAT, __O_TMPFILE
		return allow
	}
	return modeVerdict(mode)
}

func nodeVerdict(mode uint32) uint32 {
	// Device nodes; the kernel makes no folders or symbolic links this way.
	return refuseIf(mode&0o020000 != 0 || mode&0o6000 != 0)
}

func fcntlVerdict(command, arg uint32) uint32 {
	switch {
	case command == 1024, command == 1026, command == 1040, command == 15:
		return eperm
	case command == 8 && (arg == 1 || arg == 0xffffffff): // the owner is PID 1
		return eperm
	case command <= 11, command >= 15 && command <= 17, command >= 36 && command <= 38:
		return allow
	case command == 1025, command == 1027, command == 1028, command >= 1030 && command <= 1038:
		return allow
	}
	return enosys
}

func pairVerdict(family, kind uint32) uint32 {
	switch {
	case family != 1:
		return enosys
	case kind&0xf == 1, kind&0xf == 5:
		return allow
	}
	return eperm
}

// namedVerdict is the part of argumentVerdict about calls that name a process:
// it must not be PID 1, nor everybody of a uid.
func namedVerdict(name string, args [6]uint64) uint32 {
	low := func(i int) uint32 { return uint32(args[i]) }
	switch name {
	case "timer_create", "clock_nanosleep":
		// The processor time of process n is clock ^n<<3, and the kind below.
		return refuseIf(^(low(0)>>3)&0x1fffffff == 1)
	case "setpriority":
		return whoseVerdict(low(0), low(1), 0, 1)
	case "ioprio_set":
		return whoseVerdict(low(0), low(1), 1, 2)
	case "prlimit64", "sched_setscheduler", "sched_setparam", "sched_setaffinity":
		if low(0) == 1 {
			return eperm
		}
	}
	switch name {
	case "sched_setparam", "sched_setaffinity":
		return allow
	case "prlimit64":
		if args[2] == 0 {
			return allow
		}
		return limitVerdict(low(1))
	case "sched_setscheduler":
		switch low(1) &^ 0x40000000 {
		case 0, 3, 5: // OTHER, BATCH, IDLE
			return allow
		}
		return eperm
	}
	return enosys
}

func whoseVerdict(which, who, process, group uint32) uint32 {
	return refuseIf(who == 1 || which != process && which != group)
}

func limitVerdict(resource uint32) uint32 {
	return refuseIf(resource == 4 || resource >= 16)
}

func prctlVerdict(option uint32) uint32 {
	switch option {
	case 28, 33, 35, 57, 62, 67, 0x59616d61:
		return eperm
	case 0x53564d41, 0x41555856:
		return allow
	}
	if option == 0 || option > 76 {
		return enosys
	}
	return allow
}
