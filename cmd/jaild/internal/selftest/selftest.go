package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// sitePrefix begins the name of the folder that everything lies in.
const sitePrefix = "jail-selftest-"

// settings is what jail handed over.
type settings struct {
	companion.Selftest
	carry carrier
}

// Run carries a selftest out and writes what it finds to out; in JSON that is one
// document, and what people are told goes to say. It returns whether every wall was
// found to be as claimed. An error says why nothing was carried out.
func Run(ctx context.Context, given companion.Selftest, out, say io.Writer) (ok bool, err error) {
	return settings{given, attacks.Row.Carry}.run(ctx, out, say)
}

// run is Run. What asked for a document gets one, whatever came of it.
func (s settings) run(ctx context.Context, out, say io.Writer) (bool, error) {
	report := s.report()
	if !s.JSON {
		say = out
	}
	ok, err := s.fill(ctx, &report, out, say)
	var lost *unwritten
	if err == nil || !s.JSON || errors.As(err, &lost) {
		return ok, err
	}
	report.OK, report.Error = false, err.Error()
	var none *noBox
	if errors.As(err, &none) && none.layer != "" {
		report.Missing = append(report.Missing, none.layer)
	}
	if lost := json.NewEncoder(out).Encode(report); lost != nil {
		err = errors.Join(err, lost)
	}
	return false, err
}

// written is err as one of writing a report.
func written(err error) error {
	if err == nil {
		return nil
	}
	return &unwritten{err}
}

// unwritten is that a report could not be written.
type unwritten struct{ error }

func (e *unwritten) Unwrap() error { return e.error }

// fill carries the selftest out, and writes what is found.
func (s settings) fill(ctx context.Context, report *Report, out, say io.Writer) (bool, error) {
	all := table(jail.Tier(s.Tier))
	rows, err := choose(all, s.Only)
	if err != nil {
		return false, err
	}
	if s.Refused {
		if s.JSON {
			err = errors.New("the command line has faults, which standard error names")
		}
		return false, err
	}
	if s.List {
		return true, s.list(*report, rows, out, say)
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	started := time.Now()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("prctl: subreaper: %w", err)
	}
	site, err := attacks.NewSite(ctx, sitePrefix, parents(attacks.Role{Root: os.Getuid() == 0})...)
	if err != nil {
		return false, fmt.Errorf("no folder for it: %w", err)
	}
	if s.CgroupParent != "" {
		if err := site.UseGroup(s.CgroupParent); err != nil {
			return false, errors.Join(fmt.Errorf("--cgroup-parent %q: %w", s.CgroupParent, err), site.Close())
		}
	}
	who := s.caller(site)
	if _, err := io.WriteString(say, s.intro(len(rows), who)); err != nil {
		return false, errors.Join(err, site.Close())
	}
	if report.Layers, err = layersHere(who); err != nil && ctx.Err() == nil {
		return false, errors.Join(err, site.Close())
	}
	report.Missing = s.missing(report.Layers)
	if _, err := io.WriteString(say, report.noWalls()); err != nil {
		return false, errors.Join(err, site.Close())
	}
	report.Rows = carryAll(ctx, rows, who, s.carry, func(row Row) {
		if !s.JSON {
			io.WriteString(out, row.line())
		}
	})
	report.Left = leave(site)
	report.TookMS = time.Since(started).Milliseconds()
	report.sum()
	return report.OK, s.print(*report, out)
}

// caller is who attacks: this process.
func (s settings) caller(site *attacks.Site) attacks.Role {
	who := site.Self()
	who.Tier, who.Careful = jail.Tier(s.Tier), true
	return who
}

// parents are where the folder may lie: not below /tmp, which a box has of its own.
func parents(who attacks.Role) []string {
	places := []string{"/var/tmp"}
	home, err := os.UserHomeDir()
	if err != nil || who.Root { // whose boxes' user can't get there
		return places
	}
	if _, err := os.Stat(home); err == nil {
		places = append(places, home)
	}
	return places
}

func (s settings) report() Report {
	var name unix.Utsname
	unix.Uname(&name)
	return Report{Schema: Schema, Version: s.Version, Kernel: unix.ByteSliceToString(name.Release[:]), Arch: runtime.GOARCH,
		Landlock: int(attacks.LandlockABI()), UID: os.Getuid(), Tier: jail.Tier(s.Tier), Layers: []LayerOf{}, Missing: []jail.LayerName{}, Walls: []WallSeen{}, Rows: []Row{}}
}

// list prints the rows.
func (s settings) list(r Report, rows []attacks.Row, out, say io.Writer) error {
	who := attacks.Role{Root: os.Getuid() == 0, UID: os.Getuid(), Tier: jail.Tier(s.Tier)}
	if _, err := io.WriteString(say, s.intro(len(rows), who)); err != nil {
		return err
	}
	r.OK, r.Listed, r.Count.Rows = true, true, len(rows)
	for _, row := range rows {
		r.Rows = append(r.Rows, rowOf(row, who))
	}
	if s.JSON {
		return written(json.NewEncoder(out).Encode(r))
	}
	for _, row := range r.Rows {
		if _, err := io.WriteString(out, strings.TrimPrefix(row.line(), "planned   ")); err != nil {
			return err
		}
	}
	return nil
}

func (s settings) print(r Report, out io.Writer) error {
	if s.JSON {
		return written(json.NewEncoder(out).Encode(r))
	}
	_, err := io.WriteString(out, r.summary())
	return err
}

// sum counts what the rows came to.
func (r *Report) sum() {
	walls := map[string]int{}
	c := Count{Rows: len(r.Rows)}
	for _, row := range r.Rows {
		switch row.Verdict {
		case Held:
			c.Held++
		case Open:
			c.Open++
		case Escaped:
			c.Escaped++
		case Skipped:
			c.Skipped++
		default:
			c.Unproven++
		}
		for _, p := range row.Proofs {
			if p.Name == "ablated" && p.Succeeded != nil && *p.Succeeded {
				for _, w := range row.Walls {
					walls[w]++
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(walls)) {
		r.Walls = append(r.Walls, WallSeen{name, walls[name]})
	}
	r.Count = c
	r.OK = c.Escaped == 0 && c.Unproven == 0 && len(r.Left) == 0 && len(r.Missing) == 0
}

// leave takes everything away: the folder, and what processes of the attacks are
// still there. It says what it could not.
func leave(site *attacks.Site) (left []string) {
	if err := endChildren(); err != nil {
		left = append(left, err.Error())
	}
	if err := site.Close(); err != nil {
		left = append(left, err.Error())
	}
	return left
}
