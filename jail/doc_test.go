package jail

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWallsTable compares the table of walls in doc.go with the plan of a box
// that uses all of them: the same stages in the same lists and order.
func TestWallsTable(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^//\t([a-z]+) +(box|reaper|target) `)
	var documented []string
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[2]+" "+m[1])
	}
	spec := Spec{Args: []string{"/bin/true"}, Net: NetLoopback}
	spec.Limits = spec.Limits.WithDefaults()
	needLandlock(t)
	h, err := probeHost()
	if err != nil {
		t.Fatal(err)
	}
	v, faults := resolve(spec)
	if faults != nil {
		t.Fatal(faults)
	}
	p, err := compile(spec, h, v, shape{tasks: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var planned []string
	for _, l := range []list{listFirst, listBox, listReaper, listTarget} {
		for _, s := range p.lists[l] {
			name := listNames[max(l, listBox)] + " " + string(s.Stage)
			// Receiving descriptors comes before the first wall and makes none. As root
			// there are mounts after the pivot, too.
			if s.Stage != StageGrants && !slices.Contains(planned, name) {
				planned = append(planned, name)
			}
		}
	}
	if got, want := strings.Join(planned, "\n"), strings.Join(documented, "\n"); got != want {
		t.Errorf("the plan's stages:\n%s\n\ndoc.go has:\n%s", got, want)
	}
}
