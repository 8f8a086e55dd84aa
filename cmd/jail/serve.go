package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/profiles"
)

// Headings of the flags in `jail help serve` besides those of `run`.
const (
	groupSocket = "Where, and which boxes are ready"
	groupTake   = "What it takes on"
)

// serveOptions is what the flags of `jail serve` alone said.
type serveOptions struct {
	socket                     string
	warm                       []warmBoxes
	running, queue, perCaller  int64
	queueTimeout, drainTimeout time.Duration
	capture                    int64
}

// warmBoxes is one --warm.
type warmBoxes struct {
	profile string
	size    int64
}

// serveFlags are the flags of `jail serve`: its own, and those of `jail run` that
// say what a box is.
func serveFlags() []flagDef {
	table := []flagDef{
		{name: "socket", value: "PATH", group: groupSocket, words: wordFile,
			usage:  "the Unix socket to listen on; its folder must be one that nobody else can enter, and is made if it is missing",
			accept: "the path of a socket", preset: "$XDG_RUNTIME_DIR/jail/serve.sock; without that variable root's /run/jail/serve.sock",
			set: parsed(asIs[string], func(o *options) *string { return &o.serve.socket })},
		{name: "warm", value: "PROFILE=N", many: true, group: groupSocket,
			usage:  "keep N boxes of PROFILE ready, made with the flags below",
			accept: "a profile and a number, such as python=4",
			set:    added(parseWarm, func(o *options) *[]warmBoxes { return &o.serve.warm })},
	}
	table = append(table, takeFlags()...)
	for _, f := range slices.Concat(programFlags(), fileFlags(), limitFlags(), reachFlags(), layerFlags(), resultFlags()) {
		if !slices.Contains([]string{"profile", "name", "via", "json", "record", "quiet"}, f.name) {
			table = append(table, f)
		}
	}
	return append(table, helpFlag())
}

func takeFlags() []flagDef {
	return []flagDef{
		{name: "max-running", value: "N", group: groupTake,
			usage: "runs at once", accept: acceptCount, preset: "4 × processors",
			set: parsed(parseRuns, func(o *options) *int64 { return &o.serve.running })},
		{name: "max-queue", value: "N", group: groupTake,
			usage: "runs that wait for their turn; more are refused", accept: "a whole number, also 0", preset: "256",
			set: parsed(parseQueue, func(o *options) *int64 { return &o.serve.queue })},
		{name: "max-per-caller", value: "N", group: groupTake,
			usage: "runs of one caller, running and waiting: of a process, or of a request's client", accept: acceptCount, preset: "64",
			set: parsed(parseRuns, func(o *options) *int64 { return &o.serve.perCaller })},
		{name: "max-capture", value: "SIZE", group: groupTake,
			usage: "output of one run that goes into its record, and so is kept in memory", accept: acceptSize, preset: "16M",
			set: parsed(profiles.ParseSize, func(o *options) *int64 { return &o.serve.capture })},
		{name: "queue-timeout", value: "TIME", group: groupTake,
			usage: "how long a run waits for its turn before it is refused", accept: acceptTime, preset: "30s",
			set: parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.serve.queueTimeout })},
		{name: "drain-timeout", value: "TIME", group: groupTake,
			usage: "how long runs may go on after SIGTERM before they are canceled", accept: acceptTime, preset: "30s",
			set: parsed(profiles.ParseDuration, func(o *options) *time.Duration { return &o.serve.drainTimeout })},
	}
}

// parseWarm reads PROFILE=N. A file's name may have = in it, a number has none.
func parseWarm(v string) (warmBoxes, error) {
	at := strings.LastIndex(v, "=")
	n, err := strconv.ParseInt(v[at+1:], 10, 64)
	if at < 1 || err != nil || n < 1 || n > 1000 {
		return warmBoxes{}, errors.New("must be PROFILE=N with N from 1 to 1000, such as python=4")
	}
	return warmBoxes{v[:at], n}, nil
}

func parseQueue(v string) (int64, error) { return parseNumber(v, 0) }

func parseRuns(v string) (int64, error) { return parseNumber(v, 1) }

func parseNumber(v string, least int64) (int64, error) {
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < least {
		return 0, fmt.Errorf("must be a whole number from %d to %d", least, math.MaxInt32)
	}
	return n, nil
}

// serveDefaults is what no flag says.
func serveDefaults() serveOptions {
	o := serveOptions{
		running: int64(4 * runtime.NumCPU()), queue: 256, perCaller: 64, capture: 16 << 20,
		queueTimeout: 30 * time.Second, drainTimeout: 30 * time.Second,
	}
	switch dir := os.Getenv("XDG_RUNTIME_DIR"); {
	case filepath.IsAbs(dir):
		o.socket = filepath.Join(dir, "jail/serve.sock")
	case os.Geteuid() == 0:
		o.socket = "/run/jail/serve.sock"
	}
	return o
}

// serveCommand is `jail serve`: it reads the flags and makes Specs of them, as
// `jail run` does, so that the two mean the same; then it becomes its companion.
func serveCommand(args []string) int {
	o := options{serve: serveDefaults()}
	line := parseOf("serve", serveFlags(), args)
	line.apply(&o)
	if o.help {
		return printHelp("serve")
	}
	if len(line.rest) > 0 {
		line.fault("argument", line.rest[0], "there is none: what runs is said by those who ask, as in `jail run --via SOCKET …`")
	}
	if o.serve.socket == "" {
		line.fault("--socket", "", "needed where XDG_RUNTIME_DIR is not set")
	}
	settings := companion.Serve{
		Version: ownVersion(), MaxRunning: int(o.serve.running), MaxQueue: int(o.serve.queue), MaxPerCaller: int(o.serve.perCaller),
		MaxCapture: o.serve.capture, QueueTimeout: o.serve.queueTimeout, DrainTimeout: o.serve.drainTimeout,
		CgroupParent: o.over.CgroupParent,
	}
	var err error
	if settings.Socket, err = filepath.Abs(o.serve.socket); err != nil {
		line.fault("--socket", o.serve.socket, "must be absolute, because the working directory is gone")
	}
	settings.Pools, settings.Trial = line.pools(o)
	if len(line.faults) > 0 {
		printFaults(line.faults)
		return exitRefused
	}
	printError(fmt.Errorf("serve: %w", companion.Exec("serve", settings)))
	return exitRefused
}

// pools are the kinds of boxes that --warm names, each composed as `jail run` does
// with the same flags and a program that adds no grant of its own. Where there are none,
// what the other flags say is not for nothing: it is to be tried.
func (c *commandLine) pools(o options) (pools []companion.Pool, trial json.RawMessage) {
	if len(o.serve.warm) == 0 {
		text, err := json.Marshal(request.Of(c.kept(o, profiles.CurrentHost(), leastProfile, "-")))
		if err != nil {
			c.fault("--profile", leastProfile, err.Error())
		}
		return nil, text
	}
	c.profiled = "--warm"
	for _, w := range o.serve.warm {
		spec := c.kept(o, profiles.CurrentHost(), w.profile, "-")
		text, err := json.Marshal(request.Of(spec))
		if err != nil {
			c.fault("--warm", w.profile, err.Error())
		}
		pools = append(pools, companion.Pool{Name: w.profile, Size: int(w.size), Spec: text})
	}
	return pools, nil
}
