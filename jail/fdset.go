package jail

import "golang.org/x/sys/unix"

// fdSet closes what is still open when a run ends, on any path.
type fdSet []int

func (s *fdSet) add(fds ...int) { *s = append(*s, fds...) }

// close closes one now.
func (s *fdSet) close(fd int) {
	for i, f := range *s {
		if f == fd {
			(*s)[i] = -1
			unix.Close(fd)
			return
		}
	}
}

// release leaves fd to somebody else.
func (s *fdSet) release(fd int) {
	for i, f := range *s {
		if f == fd {
			(*s)[i] = -1
		}
	}
}

func (s *fdSet) closeAll() {
	for _, fd := range *s {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	*s = nil
}

// pipe returns a pipe whose ends close with the run.
func (s *fdSet) pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, pipeError("pipe2", err)
	}
	s.add(p[0], p[1])
	return p[0], p[1], nil
}
