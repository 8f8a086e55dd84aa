package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
)

// groupTools is the heading of the flags in `jail help mcp` besides those of `run`.
const groupTools = "What the tools do"

// mcpOptions is what the flags of `jail mcp` alone said.
type mcpOptions struct {
	languages      []languageBox
	running, queue int64
	workspace      int64
	page           int64
}

// languageBox is one --language: a profile for the boxes of a language.
type languageBox struct {
	language runner.Language
	profile  string
}

// mcpFlags are the flags of `jail mcp`: its own, and those of `jail run` that say what
// a box is.
func mcpFlags() []flagDef {
	table := []flagDef{
		{name: "language", value: "NAME[=PROFILE]", many: true, group: groupTools,
			usage:  "a language of run_code, in boxes of its own profile or of one that extends it",
			accept: "node, python, sh or wasm, and perhaps =PROFILE", preset: "those of which there is an interpreter, without wasm",
			set: added(parseLanguage, func(o *options) *[]languageBox { return &o.mcp.languages })},
		{name: "workspace-size", value: "SIZE", group: groupTools,
			usage:  "how large the session's folder may become, which all its boxes share and which goes with it; with --workspace there is none",
			accept: acceptSize + ", or none", preset: "256M",
			set: parsed(parseWorkspace, func(o *options) *int64 { return &o.mcp.workspace })},
		{name: "page", value: "SIZE", group: groupTools,
			usage:  "how much of each output, and of a value, a result holds; the rest is for read_result",
			accept: acceptSize + ", from 256 to 1M", preset: "16K",
			set: parsed(parsePage, func(o *options) *int64 { return &o.mcp.page })},
		{name: "max-running", value: "N", group: groupTools,
			usage: "boxes at once", accept: acceptCount, preset: "2 × processors",
			set: parsed(parseRuns, func(o *options) *int64 { return &o.mcp.running })},
		{name: "max-queue", value: "N", group: groupTools,
			usage: "calls that wait for their turn; more are refused", accept: "a whole number, also 0", preset: "64",
			set: parsed(parseQueue, func(o *options) *int64 { return &o.mcp.queue })},
	}
	for _, f := range slices.Concat(programFlags(), fileFlags(), inputFlags(), limitFlags(), reachFlags(), layerFlags(), resultFlags()) {
		switch {
		case slices.Contains([]string{"via", "stdin", "tty", "json", "record", "quiet", "timings"}, f.name):
		case f.name == "profile":
			f.usage, f.preset = "the boxes of run_command; under sh it takes command lines as well", leastProfile
			table = append(table, f)
		default:
			table = append(table, f)
		}
	}
	return append(table, helpFlag())
}

func parseLanguage(v string) (languageBox, error) {
	name, profile, given := strings.Cut(v, "=")
	if !given {
		profile = name
	}
	if !slices.Contains(runner.Languages(), runner.Language(name)) || profile == "" {
		return languageBox{}, fmt.Errorf("must be one of %v, or one of them with =PROFILE behind it", runner.Languages())
	}
	return languageBox{runner.Language(name), profile}, nil
}

func parsePage(v string) (int64, error) {
	n, err := profiles.ParseSize(v)
	if err == nil && (n < 256 || n > 1<<20) {
		err = errors.New("must be from 256 to 1M bytes")
	}
	return n, err
}

// parseWorkspace reads a size; none is 0.
func parseWorkspace(v string) (int64, error) {
	if v == "none" {
		return 0, nil
	}
	return profiles.ParseSize(v)
}

func mcpDefaults() mcpOptions {
	return mcpOptions{running: int64(2 * runtime.NumCPU()), queue: 64, workspace: 256 << 20, page: 16 << 10}
}

// mcpCommand is `jail mcp`: it makes Specs of the flags and becomes its companion.
func mcpCommand(args []string) int {
	o := options{mcp: mcpDefaults()}
	line := parseOf("mcp", mcpFlags(), args)
	line.apply(&o)
	if o.help {
		return printHelp("mcp")
	}
	if len(line.rest) > 0 {
		line.fault("argument", line.rest[0], "there is none: what runs is said by the client, in its calls")
	}
	if o.over.Workspace != "" {
		o.mcp.workspace = 0
	}
	if o.mcp.workspace > 0 && o.over.Tier == jail.Tier2 && os.Geteuid() == 0 {
		line.fault("--workspace-size", "", "must be none, or --workspace be given, where root starts boxes of tier 2: each is a user whom nobody else is, and can't read what another has written")
	}
	settings := companion.MCP{
		Version: ownVersion(), MaxRunning: int(o.mcp.running), MaxQueue: int(o.mcp.queue),
		WorkspaceSize: o.mcp.workspace, Page: o.mcp.page,
	}
	host := profiles.CurrentHost()
	settings.Languages = line.languageBoxes(o, host)
	if o.profile == "" {
		o.profile = leastProfile
	}
	command := line.box(o, host, o.profile, "-")
	settings.Command, settings.Shell = &command, line.isShell(o.profile, host)
	if len(line.faults) > 0 {
		printFaults(line.faults)
		return exitRefused
	}
	err := stdoutIsThere()
	if err == nil {
		err = companion.Exec("mcp", settings)
	}
	printError(fmt.Errorf("mcp: %w", err))
	return exitRefused
}

// languageBoxes are the boxes of run_code. Of the languages that nobody asked for by
// name, those without an interpreter are left out.
func (c *commandLine) languageBoxes(o options, host profiles.Host) []companion.Box {
	var boxes []companion.Box
	asked := o.mcp.languages
	if len(asked) == 0 {
		for _, l := range runner.Languages() {
			if l != runner.Wasm { // JavaScript once more, for who asks for the second wall
				asked = append(asked, languageBox{l, string(l)})
			}
		}
	}
	c.profiled = "--language"
	defer func() { c.profiled = "" }()
	seen := map[runner.Language]bool{}
	for _, l := range asked {
		if seen[l.language] {
			c.fault("--language", string(l.language), "must be given once for each language")
			continue
		}
		seen[l.language] = true
		p, err := profiles.Load(l.profile, host)
		if err != nil {
			c.errors(err, "--language", l.profile, o)
			continue
		}
		if of, ok := runner.Of(p.Interpreter()); !ok || of != l.language {
			c.fault("--language", string(l.language)+"="+l.profile, "must be a profile that extends "+string(l.language))
			continue
		}
		before := len(c.faults)
		b := c.box(o, host, l.profile, l.language.Command(runner.Request{})...)
		b.Name = string(l.language)
		if len(o.mcp.languages) == 0 && slices.ContainsFunc(c.faults[before:], func(f jail.Fault) bool { return f.Field == "run.interpreter" }) {
			c.faults = c.faults[:before]
			continue
		}
		boxes = append(boxes, b)
	}
	return boxes
}

// box is the box of a profile, with the flags' grants and limits. What is handed on
// must not depend on a call: args are such as grant nothing.
func (c *commandLine) box(o options, host profiles.Host, profile string, args ...string) companion.Box {
	o.eval.believes = true
	known := len(c.faults)
	spec := c.kept(o, host, profile, args...)
	// What is wrong with flags is wrong in every box, and told once.
	c.faults = append(c.faults[:known], slices.DeleteFunc(c.faults[known:], func(f jail.Fault) bool {
		return slices.Contains(c.faults[:known], f)
	})...)
	text, err := json.Marshal(request.Of(spec))
	if err != nil {
		c.fault("--profile", profile, err.Error())
	}
	return companion.Box{Name: profile, Spec: text}
}

// isShell says whether a profile's interpreter is a shell.
func (c *commandLine) isShell(profile string, host profiles.Host) bool {
	p, err := profiles.Load(profile, host)
	if err != nil {
		return false
	}
	l, ok := runner.Of(p.Interpreter())
	return ok && l == runner.Sh
}
