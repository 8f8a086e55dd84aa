package policy

import (
	"slices"
	"strings"
	"testing"
)

// Every rule that refuses arguments is told by some that it, and no other, decides of; what
// is known of it already is not told again.
func TestRefusals(t *testing.T) {
	for _, c := range Checked() {
		for call := range strings.FieldsSeq(c.Calls) {
			list := Refusals(call, nil)
			told := map[int]bool{}
			for i, args := range list {
				row := c.decidedBy(args)
				told[row] = true
				then := c.Else
				if row < len(c.Rows) {
					then = c.Rows[row].Then
				}
				if then == Allow {
					t.Errorf("%s%v is allowed", call, args)
				}
				if slices.Contains(list[:i], args) {
					t.Errorf("%s%v is told twice", call, args)
				}
			}
			for row := range len(c.Rows) + 1 {
				refuses := row == len(c.Rows) && c.Else != Allow || row < len(c.Rows) && c.Rows[row].Then != Allow
				if refuses != told[row] {
					t.Errorf("%s: rule %d refuses: %v; told: %v", call, row, refuses, told[row])
				}
			}
			if again := Refusals(call, list); len(again) > 0 {
				t.Errorf("%s: %v is known already", call, again)
			}
		}
	}
	if list := Refusals("getpid", nil); list != nil {
		t.Errorf("getpid: %v, want nothing", list)
	}
}
