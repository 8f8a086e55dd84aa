package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// TestHostDocuments: what doctor said on all classes of hosts has one shape: the
// same checks in the same order, known layers, three answers, and a remedy where
// and only where the answer is not yes. The documents are kept, and what doctor
// says is compared with them, by go run ./test/guest, which boots the hosts.
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
		var r Report
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&r); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, fault := range r.faults() {
			t.Errorf("%s: %s", file, fault)
		}
	}
}

var knownLayers = []jail.LayerName{jail.LayerNamespaces, jail.LayerRoot, jail.LayerCaps, jail.LayerLandlock, jail.LayerSeccomp, jail.LayerCgroup, jail.LayerRlimits}

func (r Report) faults() []string {
	var faults, want, got []string
	for _, tr := range trials(facts{uid: r.UID}) {
		want = append(want, tr.name)
	}
	for _, c := range r.Checks {
		got = append(got, c.Name)
		if !slices.Contains(knownLayers, c.Layer) {
			faults = append(faults, c.Name+" is of layer "+string(c.Layer))
		}
		if !slices.Contains([]Answer{Yes, No, Unknown}, c.Answer) {
			faults = append(faults, c.Name+" has the answer "+string(c.Answer))
		}
		if (c.Answer == Yes) != (len(c.Remedy) == 0) {
			faults = append(faults, c.Name+": "+string(c.Answer)+", with the remedy "+strings.Join(c.Remedy, "; "))
		}
		if c.Needed && c.Answer != Yes && r.OK {
			faults = append(faults, "a box ran without "+c.Name+", which is needed")
		}
	}
	if !slices.Equal(got, want) {
		faults = append(faults, "checks are "+strings.Join(got, " ")+", want "+strings.Join(want, " "))
	}
	if r.Schema != Schema {
		faults = append(faults, "schema "+r.Schema)
	}
	if r.OK != (r.Box.Reason == jail.ReasonOK) {
		faults = append(faults, "ok is the other way round than the box's reason "+string(r.Box.Reason))
	}
	return append(append(faults, r.Box.faults()...), r.Tier2.faults()...)
}

func (b Box) faults() []string {
	var faults []string
	ok := b.Reason == jail.ReasonOK
	for _, l := range b.Layers {
		if !slices.Contains(knownLayers, l.Name) {
			faults = append(faults, "a box has the layer "+string(l.Name))
		}
		if l.Asked && !l.Applied && ok {
			faults = append(faults, "a box ran without "+string(l.Name)+", which was asked for")
		}
	}
	if ok && b.Refusal != nil || !ok && b.Refusal == nil {
		faults = append(faults, "a box's reason is "+string(b.Reason)+", and its refusal is the other way round")
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
