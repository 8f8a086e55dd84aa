package doctor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// A matrix of guests writes its results into a file (go run ./test/guest -json).
// With it, the documents that doctor printed there are held to those in
// testdata/hosts, or written there:
//
//	go test ./cmd/jail/internal/doctor -run TestHosts -results FILE [-update]
var (
	resultsFile = flag.String("results", "", "compare with the results of this `file`")
	update      = flag.Bool("update", false, "write testdata/hosts from -results")
)

// A document is what doctor says of a class of hosts: all of a Report but what
// differs from one host of the class to the next.
type document struct {
	Schema      string     `json:"schema"`
	OK          bool       `json:"ok"`
	Kernel      string     `json:"kernel"` // its line, such as "6.12"
	Root        bool       `json:"root"`
	LandlockABI int        `json:"landlock_abi"`
	Inside      string     `json:"inside"`
	Checks      []checked  `json:"checks"`
	Reason      string     `json:"reason"`
	Refused     string     `json:"refused"` // the layer
	Layers      []received `json:"layers"`
}

type checked struct {
	Name   string   `json:"name"`
	Layer  string   `json:"layer"`
	Needed bool     `json:"needed"`
	Answer string   `json:"answer"`
	Remedy []string `json:"remedy"`
}

type received struct {
	Name      string `json:"name"`
	Asked     bool   `json:"asked"`
	Applied   bool   `json:"applied"`
	Mechanism string `json:"mechanism"`
}

// varying is what differs between hosts of a class: ids, sizes of filters, and
// the tail of a kernel's release.
var varying = regexp.MustCompile(`host uid \d+|\d+ instructions`)

// classOf is a report's document.
func classOf(r Report) document {
	line := r.Kernel
	if parts := strings.SplitN(r.Kernel, ".", 3); len(parts) > 1 {
		number, _, _ := strings.Cut(parts[1], "-")
		line = parts[0] + "." + number
	}
	d := document{Schema: r.Schema, OK: r.OK, Kernel: line, Root: r.UID == 0, LandlockABI: r.LandlockABI, Inside: r.Inside,
		Checks: []checked{}, Reason: string(r.Box.Reason), Layers: []received{}}
	if r.Box.Refusal != nil {
		d.Refused = string(r.Box.Refusal.Layer)
	}
	for _, c := range r.Checks {
		remedy := []string{}
		for _, s := range c.Remedy {
			remedy = append(remedy, strings.ReplaceAll(s, r.Kernel, "KERNEL"))
		}
		d.Checks = append(d.Checks, checked{c.Name, string(c.Layer), c.Needed, string(c.Answer), remedy})
	}
	for _, l := range r.Box.Layers {
		mechanism := varying.ReplaceAllStringFunc(l.Mechanism, func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c >= '0' && c <= '9' }), "N")
		})
		d.Layers = append(d.Layers, received{string(l.Name), l.Asked, l.Applied, strings.TrimSpace(mechanism)})
	}
	return d
}

// TestHosts: on each class of hosts that guests stand for, doctor says what it
// said before.
func TestHosts(t *testing.T) {
	if *resultsFile == "" {
		t.Skip("not without -results, which a run of test/guest writes")
	}
	text, err := os.ReadFile(*resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	var results []struct {
		Host, Role, Fault string
		Jobs              []struct {
			Name string
			JSON json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		for _, j := range r.Jobs {
			if j.Name != "doctor" || j.JSON == nil {
				continue
			}
			var report Report
			if err := json.Unmarshal(j.JSON, &report); err != nil {
				t.Errorf("%s as %s: %v", r.Host, r.Role, err)
				continue
			}
			compare(t, filepath.Join("testdata/hosts", r.Host+"-"+r.Role+".json"), classOf(report))
		}
	}
}

func compare(t *testing.T, golden string, d document) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(d); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Errorf("%v: a new class of hosts? -update writes its document", err)
		return
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is\n%s, want\n%s", golden, b.Bytes(), want)
	}
}

// TestHostDocuments: the documents of all classes have one shape: the same
// checks in the same order, known layers, three answers, and a remedy where
// and only where the answer is not yes.
func TestHostDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d document
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, fault := range d.faults() {
			t.Errorf("%s: %s", file, fault)
		}
	}
}

var knownLayers = []jail.LayerName{jail.LayerNamespaces, jail.LayerRoot, jail.LayerCaps, jail.LayerLandlock, jail.LayerSeccomp, jail.LayerCgroup, jail.LayerRlimits}

func (d document) faults() []string {
	var faults []string
	uid := 1000
	if d.Root {
		uid = 0
	}
	var want []string
	for _, tr := range trials(facts{uid: uid}) {
		want = append(want, tr.name)
	}
	var got []string
	for _, c := range d.Checks {
		got = append(got, c.Name)
		if !slices.Contains(knownLayers, jail.LayerName(c.Layer)) {
			faults = append(faults, c.Name+" is of layer "+c.Layer)
		}
		if !slices.Contains([]Answer{Yes, No, Unknown}, Answer(c.Answer)) {
			faults = append(faults, c.Name+" has the answer "+c.Answer)
		}
		if (c.Answer == string(Yes)) != (len(c.Remedy) == 0) {
			faults = append(faults, c.Name+": "+c.Answer+", with the remedy "+strings.Join(c.Remedy, "; "))
		}
		if c.Needed && c.Answer != string(Yes) && d.OK {
			faults = append(faults, "a box ran without "+c.Name+", which is needed")
		}
	}
	if !slices.Equal(got, want) {
		faults = append(faults, "checks are "+strings.Join(got, " ")+", want "+strings.Join(want, " "))
	}
	for _, l := range d.Layers {
		if !slices.Contains(knownLayers, jail.LayerName(l.Name)) {
			faults = append(faults, "a box has the layer "+l.Name)
		}
		if l.Asked && !l.Applied && d.OK {
			faults = append(faults, "a box ran without "+l.Name+", which was asked for")
		}
	}
	if d.Schema != Schema {
		faults = append(faults, "schema "+d.Schema)
	}
	if d.OK != (d.Reason == string(jail.ReasonOK)) || d.OK && d.Refused != "" {
		faults = append(faults, "ok, and the box's reason is "+d.Reason+" "+d.Refused)
	}
	return faults
}

// TestReportFields: the JSON form has these fields and no others; callers
// branch on them.
func TestReportFields(t *testing.T) {
	r := Report{Checks: []Check{{}}, Box: Box{Hint: "h", Refusal: &jail.Refusal{}, Layers: []jail.Layer{{}}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var top struct{ Checks, Box json.RawMessage }
	if err := json.Unmarshal(text, &top); err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct {
		text json.RawMessage
		want string
	}{
		"report": {text, "arch box checks inside kernel landlock_abi ok schema tier2 uid"},
		"check":  {bytes.Trim(top.Checks, "[]"), "answer evidence layer name needed remedy"},
		"box":    {top.Box, "hint layers message reason refusal wall_ms"},
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(tt.text, &fields); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("a %s has the fields %s, want %s", what, got, tt.want)
		}
	}
}
