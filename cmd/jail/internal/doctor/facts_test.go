package doctor

import "testing"

func TestFewIDs(t *testing.T) {
	for uidMap, want := range map[string]bool{
		"0 0 4294967295\n": false, "0 54321 1\n": true, "0 100000 65536\n": true, "": true, "0 0 8388608": true,
		"1000 0 1\n0 100000 16777216\n": false,
	} {
		if got := fewIDs(uidMap); got != want {
			t.Errorf("fewIDs(%q) = %v, want %v", uidMap, got, want)
		}
	}
}
