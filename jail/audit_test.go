package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail/internal/audit"
)

// needAudit leaves a test out where records can't be had: nothing may switch
// auditing on for it, which is the whole host's. The guest that has it on is held to
// it.
func needAudit(t *testing.T) {
	t.Helper()
	needTier2(t)
	r := newRun(t.Context(), Spec{Tier: Tier2})
	defer r.close()
	var err error
	if r.host, err = probeInPlace(); err != nil {
		t.Fatal(err)
	}
	r.askAudit()
	if r.joinAudit(); r.shape.audited {
		return
	}
	line, _ := os.ReadFile("/proc/cmdline")
	if os.Getuid() == 0 && slices.Contains(strings.Fields(string(line)), "audit=1") {
		t.Fatal("auditing is on, and: " + r.audit.unheard)
	}
	fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %s\n", t.Name(), r.audit.unheard)
	t.Skip(r.audit.unheard)
}

// auditedFolder is one with files that everybody may read and write.
func auditedFolder(t *testing.T, names ...string) string {
	t.Helper()
	dir := ownTemp(t)
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// auditedRun runs a box, again where the kernel was too slow to hand all of its
// records out, which the box's own says.
func auditedRun(t *testing.T, spec Spec) (res Result) {
	t.Helper()
	for range 5 {
		res = runBox(t, spec, IO{})
		blind := fmt.Sprint(res.Observed.Blind)
		slow := strings.Contains(blind, lateRecords) || strings.Contains(blind, "the host lost ") || strings.Contains(blind, "none came by which")
		if !slow {
			break
		}
	}
	return res
}

// What Landlock refuses is in the record of an ordinary run, with what allows it;
// with that it is allowed, and in no record. Somebody else on the host who is refused
// things at the same time is in none of a box's.
func TestAuditOfFiles(t *testing.T) {
	needAudit(t)
	dir := auditedFolder(t, "letter", "given", "of a stranger's", "with \"quotes\"")
	stranger := startStranger(t, filepath.Join(dir, "of a stranger's"))
	spec := shell(strings.ReplaceAll(`cat DIR/letter; cat DIR/letter; echo more >>DIR/given; ls DIR; cat 'DIR/with "quotes"'; touch DIR/new; exit 7`, "DIR", dir))
	spec.Tier = Tier2
	spec.View = append(spec.View, ro(filepath.Join(dir, "given"), filepath.Join(dir, "given")))
	res := auditedRun(t, spec)
	for _, want := range []struct {
		what, grant, setting string
		count                int64
	}{
		{`reading "` + dir + `/letter"`, "--ro " + dir + "/letter", `view.ro = ["` + dir + `/letter"]`, 2},
		{`writing "` + dir + `/given"`, "--rw " + dir + "/given in place of --ro " + dir + "/given", `view.rw = ["` + dir + `/given"] in place of view.ro = ["` + dir + `/given"]`, 1},
		{`listing "` + dir + `"`, "--ro " + dir, `view.ro = ["` + dir + `"]`, 1},
		{`reading ` + strconv.Quote(dir+`/with "quotes"`), `--ro '` + dir + `/with "quotes"'`, `view.ro = [` + strconv.Quote(dir+`/with "quotes"`) + `]`, 1},
	} {
		d := denialOf(res, want.what)
		if d == nil {
			t.Errorf("no denial of %s: %s", want.what, text(res))
			continue
		}
		if d.Layer != LayerLandlock || d.Source != sourceAudit || d.Errno != "EACCES" || d.Count != want.count || d.Grant != want.grant || d.Setting != want.setting || d.Never != "" {
			t.Errorf("%+v, want %+v", *d, want)
		}
	}
	// Reading below /var is what many programs do without.
	if !strings.Contains(res.Message, "and it was refused writing") || !strings.Contains(res.Hint, "--rw "+dir+"/given in place of --ro "+dir+"/given allows it") {
		t.Errorf("message %q, hint %q", res.Message, res.Hint)
	}
	if !slices.Contains(res.Observed.Sources, sourceAudit) || strings.Contains(fmt.Sprint(res.Observed.Blind), "no audit records") {
		t.Errorf("observed %+v", res.Observed)
	}
	for _, d := range res.Denials {
		if strings.Contains(d.What, "stranger") || strings.Contains(d.What, `"/"`) {
			t.Errorf("not the box's, or not the program's: %+v", d)
		}
	}
	if n := stranger(); n < 2 {
		t.Errorf("the stranger was refused %d times meanwhile", n)
	}

	spec.View = append(spec.View, ro(dir+"/letter", dir+"/letter"))
	if res = auditedRun(t, spec); denialOf(res, `reading "`+dir+`/letter"`) != nil || res.Stdout.Text != "x\nx\n" {
		t.Errorf("granted: %s", text(res))
	}
}

// In tier 1 it is what only Landlock refuses there, traced or not.
func TestAuditOfDevices(t *testing.T) {
	needAudit(t)
	for _, trace := range []bool{false, true} {
		spec := insideBox(t, "deviceCommands")
		spec.Trace = trace
		res := auditedRun(t, spec)
		d := denialOf(res, `a device's command to "/dev/null" (ioctl 0x5401)`)
		if d == nil || d.Count != 1 || d.Grant != "" || d.Never == "" || !d.common {
			t.Errorf("trace %v: %+v: %s", trace, d, text(res))
		}
	}
}

// More than there is room for costs the run little, and its record says so.
func TestAuditFlood(t *testing.T) {
	needAudit(t)
	dir := auditedFolder(t, "letter")
	spec := observedInPlace(t, "open in a loop")
	spec.Seccomp.Deny, spec.Env = nil, append(spec.Env, "OPEN="+dir+"/letter")
	spec.Limits.Timeout = patience(time.Minute)
	began := time.Now()
	res := runBox(t, spec, IO{})
	end := time.Since(began) - time.Duration(res.Usage.WallMS)*time.Millisecond
	calls, _ := strconv.ParseInt(strings.TrimSpace(res.Stdout.Text), 10, 64)
	d := denialOf(res, `reading "`+dir+`/letter"`)
	if d == nil || calls != floodedOpens || d.Count > calls {
		t.Fatalf("%d calls, %s", calls, text(res))
	}
	t.Logf("%d of %d were read; blind: %q; the run took %d ms", d.Count, calls, res.Observed.Blind, res.Usage.WallMS)
	if told := strings.Contains(fmt.Sprint(res.Observed.Blind), "audit records meanwhile") || strings.Contains(fmt.Sprint(res.Observed.Blind), "more records than are kept") || strings.Contains(fmt.Sprint(res.Observed.Blind), lateRecords); d.Count < calls && !told {
		t.Errorf("%d of %d calls, and nothing says so: %q", d.Count, calls, res.Observed.Blind)
	}
	if end > patience(20*time.Second) {
		t.Errorf("%v passed after the run", end)
	}
}

// Where nobody reads a box's records there are none, its canary's among them.
func TestAuditOfNobody(t *testing.T) {
	needAudit(t)
	dir := auditedFolder(t, "letter")
	l, err := audit.Open()
	if err == nil {
		_, err = l.Answer(time.Second, nil)
	}
	if err == nil {
		err = l.Join()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	spec := shell("cat " + dir + "/letter; exit 3")
	spec.Tier = Tier2
	for _, tier := range []Tier{Tier1, Tier2} {
		spec.Tier = tier
		res, err := Run(ablation.Without(t.Context(), ablation.Observer), spec)
		if err != nil || res.Reason != ReasonExecutionFailed {
			t.Fatal(err, text(res))
		}
		var seen []audit.Record
		if _, err := l.Ask(time.Second, func(r audit.Record) { seen = append(seen, r) }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(patience(20 * time.Millisecond))
		if l.Drain(func(r audit.Record) { seen = append(seen, r) }); len(seen) > 0 {
			t.Errorf("tier %d: recorded, for nobody: %+v", tier, seen)
		}
	}
}
