package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

const (
	groupLearn = "What is learned"
	// mostRuns bounds --runs.
	mostRuns = 100
)

type learnOptions struct {
	out, check string
	runs       int64
}

// learnFlags are those of run that mean something here, and learn's own.
func learnFlags() []flagDef {
	flags := slices.DeleteFunc(runFlags(), func(f flagDef) bool {
		return slices.Contains([]string{"via", "tty", "record", "timings", "trace", "output-mode"}, f.name)
	})
	return append(flags,
		flagDef{name: "out", value: "FILE", group: groupLearn, words: wordFile,
			usage: "write the profile there; a learned one that is there is replaced", accept: "a file that can be written, outside of what the program may write", preset: "standard output",
			set: parsed(asIs[string], func(o *options) *string { return &o.learn.out })},
		flagDef{name: "runs", value: "N", group: groupLearn,
			usage: "how many times to run it", accept: "a whole number of 1 to 100", preset: "1",
			set: parsed(parseLearnRuns, func(o *options) *int64 { return &o.learn.runs })},
		flagDef{name: "check", value: "NAME|FILE", group: groupLearn, words: wordProfile,
			usage: "write nothing: run it with this profile enforced as well, and say what differs", accept: "the name of a profile or the path of a .toml file",
			set: parsed(asIs[string], func(o *options) *string { return &o.learn.check })})
}

// parseLearnRuns reads how many runs there are to be.
func parseLearnRuns(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > mostRuns {
		return 0, fmt.Errorf("must be 1 to %d", mostRuns)
	}
	return n, nil
}

// A learner is one `jail learn`.
type learner struct {
	o     options
	line  *commandLine
	host  profiles.Host
	ctx   context.Context
	stdin learnInput
	// heldIn is the folder in which learn itself keeps read-only what steers programs, held
	// that, and unheld why it may not be all.
	heldIn, unheld string
	held           []string
	said           [2]learn.Thing // by the program when it was run last: its output, and its errors
}

func learnCommand(args []string) int {
	ctx := watchSignals()
	o, line := parseWith(learnFlags(), args)
	if o.help {
		return printHelp("learn")
	}
	unix.Umask(unix.Umask(0o077) &^ 0o700) // the owner, at least, is to use what is made
	l := &learner{o: o, line: line, host: profiles.CurrentHost(), ctx: ctx}
	args, line.command = line.rest, "learn"
	l.watchHere()
	spec := line.compose(l.o, l.host, nil)
	spec.Trace = true
	out := l.outFile(spec)
	l.checkOwn()
	l.openInput()
	var enforced jail.Spec
	if o.learn.check != "" {
		enforced = l.enforced(args, spec)
	}
	line.lookAtHost(spec, l.o)
	if len(line.faults) > 0 {
		printFaults(line.faults)
		return exitRefused
	}
	if o.learn.check != "" {
		return l.check(spec, enforced)
	}
	return l.learn(spec, args, out)
}

// checkOwn finds what is wrong with learn's own flags together.
func (l *learner) checkOwn() {
	own := &l.o.learn
	if own.out != "" && own.check != "" {
		l.line.fault("--out, --check", "", "give one of them: a check writes no profile")
	}
	own.runs = max(own.runs, 1)
}

// outFile opens the folder of --out before anything runs.
func (l *learner) outFile(spec jail.Spec) *profileFile {
	if l.o.learn.out == "" {
		if l.o.learn.check == "" {
			l.checkRedirected(spec)
		}
		return nil
	}
	err := l.host.MakeProfileDir(l.o.learn.out)
	if err == nil {
		if err = outOfReach(l.host, l.o.learn.out, spec.View); err != nil {
			err = fmt.Errorf("%w: name a file elsewhere, such as %s, or leave --out away and the profile goes to standard output", err, shellword.Quote(filepath.Join(l.host.ConfigHome, "jail", "profiles", filepath.Base(l.o.learn.out))))
		}
	}
	var f *profileFile
	if err == nil {
		f, err = openProfileFile(l.host, l.o.learn.out)
	}
	if err != nil {
		why := reason(err)
		if errors.Is(err, fs.ErrNotExist) {
			why = "the folder that it is to lie in is not there: make it first"
		}
		l.line.fault("--out", l.o.learn.out, why)
	}
	return f
}

// run runs the program once, with its output on standard error.
func (l *learner) run(spec jail.Spec) (jail.Result, bool) {
	var out, errs saidText
	connections := jail.IO{Stdout: io.MultiWriter(os.Stderr, &out), Stderr: io.MultiWriter(os.Stderr, &errs)}
	if l.o.quiet || l.o.json {
		connections = jail.IO{}
	}
	in, err := l.stdin.next()
	if err != nil {
		l.line.faults = nil
		l.line.fault("--stdin", l.o.stdin, reason(err))
		printFaults(l.line.faults)
		return jail.Result{}, false
	}
	connections.Stdin = in
	res, err := jail.RunIO(l.ctx, spec, connections)
	var faults jail.Faults
	switch {
	case errors.As(err, &faults):
		printFaults(l.line.named(faults, spec, l.o))
	case err != nil || res.Reason == jail.ReasonCanceled:
		printOutcome(os.Stderr, res, false, false)
	default:
		l.said = [2]learn.Thing{out.thing(), errs.thing()}
		if connections.Stdout == nil {
			l.said = [2]learn.Thing{captured(res.Stdout), captured(res.Stderr)}
		}
		return res, true
	}
	return res, false
}

func (l *learner) learn(spec jail.Spec, args []string, out *profileFile) int {
	given, ok := l.given(args)
	if !ok {
		printFaults(l.line.faults)
		return exitRefused
	}
	var runs []learn.Watched
	status := exitOK
	for range l.o.learn.runs {
		res, ok := l.run(spec)
		if !ok {
			l.tellMade()
			return exitRefused
		}
		if !res.OK {
			status = 1
			line := "jail: it ended: " + learn.Ending(res) + ": " + res.Message
			if hint := cmp.Or(l.heldBack(res), res.Hint); hint != "" {
				line += " (" + hint + ")"
			}
			fmt.Fprintln(os.Stderr, visible(line))
			if !l.o.quiet {
				wider(os.Stderr, res)
			}
		}
		runs = append(runs, learn.Watched{Spec: spec, Result: res, Given: given})
	}
	l.tellMade()
	learned, ok := l.lean(learn.From(l.extends(), args, runs))
	if !ok {
		return exitRefused
	}
	text := learned.TOML()
	if len(text) > learn.MostText {
		fmt.Fprintf(os.Stderr, "jail: the profile has %d bytes, and none of more than %d is read: grant the folders by --workspace, --ro or --rw in the run\n", len(text), learn.MostText)
		status = 1
	}
	if out != nil {
		if err := out.write(text); err != nil {
			printError(fmt.Errorf("--out: %w", err))
			return exitRefused
		}
		if !l.o.quiet {
			fmt.Fprintln(os.Stderr, visible("jail: "+out.did()+" "+shellword.Quote(l.o.learn.out)+"; "+l.checkNext(args)))
		}
		return status
	}
	if code := print(text); code != exitOK {
		return code
	}
	return status
}
