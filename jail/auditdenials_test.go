package jail

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/audit"
	"golang.org/x/sys/unix"
)

// Where no records can be read the box's record says so, and which of it is missing.
func TestAuditUnread(t *testing.T) {
	needLandlock(t)
	res := runBox(t, shell("exit 3"), IO{})
	read := slices.Contains(res.Observed.Sources, sourceAudit)
	i := slices.IndexFunc(res.Observed.Blind, func(b string) bool { return strings.HasPrefix(b, "Landlock: no audit records: ") })
	if read == (i >= 0) {
		t.Errorf("observed: %+v", res.Observed)
	}
	files := slices.IndexFunc(res.Observed.Blind, func(b string) bool { return strings.HasPrefix(b, "files: what Landlock, ") })
	if read == (files >= 0) {
		t.Errorf("observed: %+v", res.Observed)
	}
}

// The box's are the refusals of the one domain that its process has entered as its
// user, but for the first, its canary's. Where that is in doubt there are none.
func TestAuditOwn(t *testing.T) {
	domain := func(number uint64, pid, uid int) audit.Record {
		return audit.Record{Domain: number, Allocated: true, PID: pid, UID: uid}
	}
	refusal := func(number uint64, path string) audit.Record {
		return audit.Record{Domain: number, Blockers: []string{"fs.read_file"}, Path: path}
	}
	canary := []audit.Record{refusal(5, "/"), domain(5, 812, 7)}
	for name, c := range map[string]struct {
		records []audit.Record
		want    string
		matched bool
	}{
		"none":                            {nil, "", false},
		"the canary's alone":              {canary, "", true},
		"twice the same":                  {append(canary, refusal(5, "/a"), refusal(5, "/b"), refusal(5, "/a")), "/a 2 /b 1", true},
		"a stranger's":                    {append(canary, refusal(6, "/a"), domain(6, 813, 7), refusal(5, "/b"), refusal(6, "/c")), "/b 1", true},
		"a stranger of that number":       {append([]audit.Record{refusal(4, "/a"), domain(4, 812, 8)}, canary...), "", true},
		"a stranger alone":                {[]audit.Record{refusal(6, "/a"), domain(6, 813, 7)}, "", false},
		"a second domain of that process": {append(canary, refusal(6, "/a"), domain(6, 812, 7)), "", false},
		"no word on the domain":           {[]audit.Record{refusal(5, "/"), refusal(5, "/a")}, "", false},
	} {
		kept := auditKept{pid: 812, uid: 7}
		for _, r := range c.records {
			kept.add(r)
		}
		refusals, beyond, matched := kept.own()
		var got []string
		for _, r := range refusals {
			got = append(got, r.Path+" "+string(rune('0'+r.count)))
		}
		if strings.Join(got, " ") != c.want || matched != c.matched || beyond != 0 {
			t.Errorf("%s: %q, %v, %d beyond; want %q, %v", name, got, matched, beyond, c.want, c.matched)
		}
	}
	kept := auditKept{pid: 812, uid: 7}
	for range mostAuditKept + 9 {
		kept.add(refusal(5, "/a"))
	}
	if len(kept.records) != mostAuditKept || !kept.over {
		t.Errorf("%d kept, over: %v", len(kept.records), kept.over)
	}
}

// What no grant of files gives has its reason, or another flag.
func TestAuditDenials(t *testing.T) {
	dir := ownTemp(t)
	for _, c := range []struct {
		tier         Tier
		record       audit.Record
		what, errno  string
		grant, never string
		common       bool
	}{
		{Tier2, audit.Record{Blockers: []string{"scope.signal"}, Process: "sleep"}, `signalling "sleep"`, "EPERM", "", neverSignals, false},
		{Tier2, audit.Record{Blockers: []string{"fs.refer"}, Path: "/a"}, `moving or linking to or from "/a"`, "EXDEV", "", neverMoves, false},
		{Tier2, audit.Record{Blockers: []string{"net.connect_tcp"}, Port: "443"}, "connecting to a TCP port 443", "EACCES", "", "there is no network of a tier 2 box's own", false},
		{Tier1, audit.Record{Blockers: []string{"net.connect_tcp"}, Port: "443"}, "connecting to a TCP port 443", "EACCES", "--net loopback", "", false},
		{Tier1, audit.Record{Blockers: []string{"fs.ioctl_dev"}, Path: "/dev/null", Command: "0x5401"}, `a device's command to "/dev/null" (ioctl 0x5401)`, "EACCES", "", "of all devices", true},
		{Tier2, audit.Record{Blockers: []string{"fs.of_the_future"}, Path: "/a"}, `fs.of_the_future "/a"`, "EACCES", "", "jail knows no flag", false},
		{Tier2, audit.Record{Blockers: []string{"fs.read_file", "fs.write_file"}, Path: "/nowhere/at/all"}, `reading and writing "/nowhere/at/all"`, "EACCES", "", "it was there then", false},
		{Tier2, audit.Record{Blockers: []string{"fs.read_file"}, Path: "/etc/shadow"}, `reading "/etc/shadow"`, "EACCES", "", "not hinted, though a flag grants it: it is where secrets of the host's are kept", true},
		{Tier2, audit.Record{Blockers: []string{"fs.make_reg"}, Path: dir}, `making a file in "` + dir + `"`, "EACCES", "--rw " + dir, "", false},
	} {
		r := newRun(t.Context(), Spec{Tier: c.tier})
		r.plan = &Plan{}
		r.audit.refusals = []auditRefusal{{c.record, 3}}
		got := r.auditDenials(nil)
		if len(got) != 1 {
			t.Fatalf("%+v: %+v", c.record, got)
		}
		d := got[0]
		if d.What != c.what || d.Errno != c.errno || d.Grant != c.grant || !strings.HasPrefix(d.Never, c.never) || (c.never == "") != (d.Never == "") || d.common != c.common ||
			d.Count != 3 || d.Layer != LayerLandlock || d.Source != sourceAudit {
			t.Errorf("%+v, want %+v", d, c)
		}
		r.close()
	}
	r := newRun(t.Context(), Spec{Tier: Tier2})
	defer r.close()
	r.plan = &Plan{}
	r.audit.refusals = []auditRefusal{{audit.Record{Blockers: []string{"fs.read_file"}, Path: "/srv"}, 1}}
	if got := r.auditDenials([]Denial{{Layer: LayerLandlock, What: `reading "/srv"`}}); len(got) != 0 {
		t.Errorf("told twice: %+v", got)
	}
}

// Of what was not looked at in time nothing is said that only a look could have shown:
// neither that it is gone, nor that no flag allows it.
func TestLooksCutShort(t *testing.T) {
	dir := ownTemp(t)
	for _, tier := range []Tier{Tier1, Tier2} {
		for _, want := range []string{"fs.read_file", "fs.write_file"} {
			r := newRun(t.Context(), Spec{Tier: tier})
			r.plan = &Plan{}
			r.hostLooks = withheld.NewFor(0)
			m := &mount{Mount: Mount{Kind: MountRO, Source: dir, Target: dir}, path: dir, dir: true}
			r.plan.view.mounts = []*mount{m}
			r.plan.view.grants = map[string]*mount{dir: m}
			r.audit.refusals = []auditRefusal{{audit.Record{Blockers: []string{want}, Path: dir}, 1}}
			got := r.auditDenials(nil)
			if len(got) != 1 || got[0].Grant != "" || got[0].Never != withheld.TookTooLong || got[0].wayOut() != withheld.TookTooLong {
				t.Errorf("tier %d, %s: %+v", tier, want, got)
			}
		}
	}
	late := withheld.NewFor(0)
	if why := late.Why(withheld.File{Real: dir, Mode: unix.S_IFDIR | 0o755}, withheld.Write); why != withheld.TookTooLong {
		t.Errorf("unhintable(%s) = %q, want that no look was had", dir, why)
	}
	if h := withheld.New(); h.Unfound("gone") != "gone" {
		t.Errorf("control: %q", h.Unfound("gone"))
	}
}
