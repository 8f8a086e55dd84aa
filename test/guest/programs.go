package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
)

// kernelArguments are those of every guest. What the kernel does not know it hands
// to PID 1 as its environment: GODEBUG is for the Go runtime of that, whose threads
// User-mode Linux 6.1 ends with SIGSEGV when signals preempt them.
func (g guest) kernelArguments() []string {
	args := []string{"quiet", "loglevel=3", "panic=-1", "rdinit=/init", "mitigations=off", "guest=" + string(g.image.kind)}
	if g.image.kind == uml {
		args = append(args, "GODEBUG=asyncpreemptoff=1")
	}
	return append(args, g.arguments...)
}

// startUML starts User-mode Linux: one program, whose memory is a file below
// /dev/shm.
func (h *host) startUML(g guest, events *os.File) error {
	args := []string{
		fmt.Sprintf("mem=%dM", memoryMiB), "initrd=" + filepath.Join(h.dir, "initrd"), "umid=" + filepath.Base(h.dir),
		"con=null", "con0=null,fd:2", "ssl=null", "ssl0=null,fd:3",
	}
	return h.start("/dev/shm", g.image.program(), append(args, g.kernelArguments()...), events)
}

// startQEMU starts a machine of one processor (with two, software emulation
// crashed one boot in a hundred), and the program through which it sees the
// host's files.
func (h *host) startQEMU(g guest, events *os.File) error {
	socket := filepath.Join(h.dir, "files")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		return err
	}
	defer listener.Close()
	listener.SetUnlinkOnClose(false)
	f, err := listener.File()
	if err != nil {
		return err
	}
	defer f.Close()
	err = h.start("/var/run", "/usr/lib/qemu/virtiofsd", []string{"--fd=3", "-o", "source=/", "-o", "cache=always",
		"-o", "sandbox=chroot", "-o", "no_xattr", "--thread-pool-size=0", "-f"}, f)
	if err != nil {
		return err
	}
	size := fmt.Sprintf("%dM", memoryMiB)
	line := ""
	for _, arg := range slices.Concat([]string{"console=ttyS0", "reboot=t"}, g.kernelArguments()) {
		line += arg + " "
	}
	return h.start("/dev/shm", "qemu-system-x86_64", []string{
		"-accel", "tcg,thread=multi,tb-size=512", "-smp", "1", "-m", size, "-cpu", "max",
		"-object", "memory-backend-memfd,id=memory,size=" + size + ",share=on", "-M", "pc,memory-backend=memory",
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio",
		"-kernel", g.image.program(), "-initrd", filepath.Join(h.dir, "initrd"), "-append", line,
		"-chardev", "socket,id=files,path=" + socket, "-device", "vhost-user-fs-pci,chardev=files,tag=host,queue-size=1024",
		"-device", "virtio-serial-pci,max_ports=2",
		"-chardev", "socket,id=events,fd=3", "-device", "virtserialport,chardev=events,name=events",
	}, events)
}
