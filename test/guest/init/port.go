package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// openPort opens the way to the host: a serial line of User-mode Linux, or the
// port of QEMU that is called "events".
func openPort(uml bool) (*os.File, error) {
	if !uml {
		return openVirtioPort()
	}
	f, err := os.OpenFile("/dev/ttyS0", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("/dev/ttyS0: %w", err)
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0 // bytes as they are
	if err := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t); err != nil {
		return nil, fmt.Errorf("/dev/ttyS0: %w", err)
	}
	return f, nil
}

// openVirtioPort waits for the port, which appears a moment after its driver.
func openVirtioPort() (*os.File, error) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob("/sys/class/virtio-ports/*/name")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, err := os.ReadFile(file)
			if err == nil && strings.TrimSpace(string(name)) == "events" {
				return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(file)), os.O_RDWR, 0)
			}
		}
	}
	return nil, fmt.Errorf("no port called events in /sys/class/virtio-ports")
}

// loopbackUp gives the guest the only network that it has.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}
