package main

import (
	"io"
	"os"

	"github.com/seed-75010da9/jail/profiles"
)

// learnInput is the standard input of the runs: a file is read from its start by each,
// anything else by one alone.
type learnInput struct {
	host  profiles.Host
	name  string
	first io.Reader // opened, and not read yet
	file  bool      // there is more where that came from
}

// openInput opens what --stdin names before anything runs.
func (l *learner) openInput() {
	in, err := openStdin(l.host, l.o.stdin)
	if err != nil {
		l.line.fault("--stdin", l.o.stdin, reason(err))
		return
	}
	l.stdin = learnInput{host: l.host, name: l.o.stdin, first: in}
	_, inheritedOne := inheritedFD(l.o.stdin)
	if f, ok := in.(*os.File); ok && l.o.stdin != "-" && !inheritedOne {
		st, err := f.Stat()
		l.stdin.file = err == nil && st.Mode().IsRegular()
	}
	if own := l.o.learn; !l.stdin.again() && (own.runs > 1 || own.check != "") {
		l.line.fault("--stdin", l.o.stdin, "must be a file, since there are several runs, and each reads it from its start")
	}
}

// again says whether one more run can have the same input.
func (in *learnInput) again() bool { return in.name == "" || in.file }

// next is the input of the next run.
func (in *learnInput) next() (io.Reader, error) {
	if first := in.first; first != nil {
		in.first = nil
		return first, nil
	}
	return openStdin(in.host, in.name)
}
