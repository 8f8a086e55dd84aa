package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	attacks.Main()
	os.Exit(m.Run())
}

// selftest runs the named families and rows, and returns the report.
func selftest(t *testing.T, ctx context.Context, carry carrier, only ...string) (Report, bool) {
	t.Helper()
	if attacks.LandlockABI() == 0 {
		t.Skip("without Landlock a box is refused")
	}
	given := companion.Selftest{Version: "test", Only: only, JSON: true, Tier: int(jail.Tier1), Optional: []string{"cgroup"}, Timeout: 2 * time.Minute}
	var out, say bytes.Buffer
	ok, err := settings{given, carry}.run(ctx, &out, &say)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(say.String(), "All of it goes away again") {
		t.Errorf("it did not say first what it will do: %q", say.String())
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	if ok != r.OK {
		t.Errorf("ok is %v, and the report's %v", ok, r.OK)
	}
	return r, ok
}

// without is carrying rows out with boxes that lack a wall: a jail that is broken.
func without(w ablation.Wall) carrier {
	return func(r attacks.Row, t attacks.T, who attacks.Role, p attacks.Proof) (attacks.Verdict, error) {
		if p.Name == "boxed" {
			p.Off = append(p.Off, w)
		}
		return r.Carry(t, who, p)
	}
}

func TestHolds(t *testing.T) {
	r, ok := selftest(t, t.Context(), attacks.Row.Carry, "descriptors", "namespaces/user namespace by clone3")
	if !ok || r.Count.Held != r.Count.Rows || r.Count.Rows < 10 {
		t.Errorf("%+v: want all held", r)
	}
	for _, row := range r.Rows {
		if len(row.Proofs) < 2 || row.Proofs[0].Name != "bare" || !*row.Proofs[0].Succeeded || row.Proofs[1].Name != "boxed" || *row.Proofs[1].Succeeded {
			t.Errorf("%+v: want it to succeed bare and to fail boxed", row)
		}
	}
	left, _ := filepath.Glob("/var/tmp/" + sitePrefix + "*/lock")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A wall that is not there is found.
func TestFindsAMissingWall(t *testing.T) {
	for _, c := range []struct {
		wall ablation.Wall
		row  string
	}{
		{ablation.Seccomp, "namespaces/user namespace by clone"},
		{ablation.EmptyEnv, "environment/own environment"},
		{ablation.CloseFDs, "descriptors/read the caller's open file"},
	} {
		r, ok := selftest(t, t.Context(), without(c.wall), c.row)
		if ok || r.Count.Escaped != 1 || r.Rows[0].Verdict != Escaped || !strings.Contains(r.Rows[0].Seen, "ESCAPED") {
			t.Errorf("without %s: %+v, want it to have escaped", c.wall, r)
		}
	}
}

// A layer that is not to be had is no wall: that is told first, and is no success unless
// it was named.
func TestMissingLayer(t *testing.T) {
	layers := []LayerOf{{Name: jail.LayerNamespaces}, {Name: jail.LayerLandlock, Applied: true}, {Name: jail.LayerCgroup, Note: "no permission"}}
	for _, c := range []struct {
		optional []string
		missing  []jail.LayerName
		says     string
	}{
		{nil, []jail.LayerName{jail.LayerCgroup}, "NO WALL   cgroup: jail run refuses here for want of it, unless --optional cgroup says that this is meant. Of these boxes: no permission\n\n"},
		{[]string{"landlock"}, []jail.LayerName{jail.LayerCgroup}, "NO WALL   cgroup: "},
		{[]string{"cgroup"}, []jail.LayerName{}, "no wall   cgroup, as --optional says is meant. Of these boxes: no permission\n\n"},
	} {
		s := settings{companion.Selftest{Optional: c.optional}, nil}
		r := Report{Layers: layers, Missing: s.missing(layers), Rows: []Row{{Verdict: Held}}}
		r.sum()
		if !slices.Equal(r.Missing, c.missing) || r.OK != (len(c.missing) == 0) || !strings.HasPrefix(r.noWalls(), c.says) {
			t.Errorf("optional %v: %+v, %q; want missing %v, %q", c.optional, r, r.noWalls(), c.missing, c.says)
		}
	}
}

// A control that fails proves nothing, and is no success.
func TestFailingControl(t *testing.T) {
	pretend := func(name string, why error) carrier {
		return func(r attacks.Row, t attacks.T, who attacks.Role, p attacks.Proof) (attacks.Verdict, error) {
			if nameOf(p) == name {
				return attacks.Nothing, why
			}
			return attacks.AsClaimed, nil
		}
	}
	lost := &attacks.Unlike{Why: os.ErrInvalid, Seen: attacks.Answer{Stdout: "escape: lost: it was seen\n"}}
	refused := &attacks.Unlike{Why: os.ErrInvalid, Seen: attacks.Answer{Stdout: "escape: lost: " + unix.EPERM.Error() + "\n"}}
	for _, c := range []struct {
		proof string
		why   error
		want  Verdict
	}{
		{"bare", lost, Unproven},
		{"bare", refused, Skipped}, // the host is why
		{"bare", &setUpError{"mknod", unix.EPERM}, Skipped},
		{"bare", &setUpError{"mknod", unix.ENOSPC}, Unproven},
		{"boxed", lost, Unproven},
		{"boxed", refused, Unproven},
		{"ablated", lost, Unproven},
		{"ablated", refused, Unproven}, // another wall than claimed
	} {
		r, ok := selftest(t, t.Context(), pretend(c.proof, c.why), "namespaces/user namespace by clone")
		if got := r.Rows[0]; got.Verdict != c.want || ok != (c.want == Skipped) {
			t.Errorf("%s: %v: %+v, want %s", c.proof, c.why, got, c.want)
		}
	}
}

// What was not carried out in time is no success.
func TestEndedEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	carry := func(r attacks.Row, at attacks.T, who attacks.Role, p attacks.Proof) (attacks.Verdict, error) {
		cancel()
		return r.Carry(at, who, p)
	}
	r, ok := selftest(t, ctx, carry, "descriptors")
	if ok || r.Count.Unproven != r.Count.Rows || !strings.Contains(r.Rows[0].Why, "it was ended") {
		t.Errorf("%+v: want everything unproven", r)
	}
}

// What a machine in use would feel is carried out boxed alone.
func TestSparesTheHost(t *testing.T) {
	carry := func(r attacks.Row, _ attacks.T, _ attacks.Role, p attacks.Proof) (attacks.Verdict, error) {
		if p.Where != attacks.InBox {
			t.Errorf("%s: carried out %s", r.Name(), p.Name)
		}
		return attacks.AsClaimed, nil
	}
	r, _ := selftest(t, t.Context(), carry, "kernel/flush the host's disks")
	if row := r.Rows[0]; row.Verdict != Held || row.Proofs[0].Succeeded != nil || row.Proofs[0].NotTried == "" {
		t.Errorf("%+v: want no bare run, and the reason", row)
	}
}
