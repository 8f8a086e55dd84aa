package selftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/internal/attacks"
)

// Whoever asks for a document gets one, and one alone, also where nothing was carried out.
func TestDocumentWithoutAttacks(t *testing.T) {
	for name, given := range map[string]companion.Selftest{
		"an unknown name":       {JSON: true, Tier: 1, Timeout: time.Minute, Only: []string{"nosuch"}},
		"faults of the line":    {JSON: true, Tier: 1, Timeout: time.Minute, Refused: true},
		"no such control group": {JSON: true, Tier: 1, Timeout: time.Minute, Only: []string{"environment"}, CgroupParent: "nonexistent/group"},
	} {
		var out bytes.Buffer
		ok, err := settings{given, attacks.Row.Carry}.run(t.Context(), &out, io.Discard)
		var r Report
		d := json.NewDecoder(&out)
		if e := d.Decode(&r); ok || err == nil || e != nil || r.OK || r.Error != err.Error() || r.Schema != Schema || d.More() {
			t.Errorf("%s: %v, %v, %v: %+v, want a document that says why", name, ok, err, e, r)
		}
	}
	given := companion.Selftest{JSON: true, Tier: 1, Timeout: time.Minute, List: true}
	if _, err := (settings{given, attacks.Row.Carry}).run(t.Context(), full{}, io.Discard); err == nil || strings.Count(err.Error(), "full") != 1 {
		t.Errorf("a document that could not be written: %v, want that said once", err)
	}
}

// full is a device without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
