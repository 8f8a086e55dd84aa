package jail

import (
	"slices"
	"testing"
)

// The words of a command that may be paths are all there, with spaces in them, behind the
// letters of options, and where variables lead.
func TestWordsThatMayBePaths(t *testing.T) {
	t.Setenv("SOME_PLACE", "/some/place")
	for text, want := range map[string][]string{
		"sh ../ext/clean.sh %f":        {"sh", "../ext/clean.sh"},
		"'/sp ace/ed' -w":              {"/sp ace/ed"},
		`/sp\ ace/ed -w`:               {"/sp ace/ed"},
		`/a/b"c d"/e`:                  {"/a/bc d/e"},
		`cd\ /x/esc && x`:              {"/x/esc"},
		"!../upd/u":                    {"../upd/u"},
		"ext::/rem/helper %S":          {"/rem/helper"},
		"-I/p5 -Mx -C../up --t=/a/b":   {"/p5", "../up", "/a/b"},
		"/lua/?.lua;;":                 {"/lua/?.lua", "/lua"},
		"$SOME_PLACE/x ${SOME_PLACE}y": {"/some/place/x", "/some/placey"},
		"${OTHER:-/else/where} -x":     {"/else/where"},
		"$(dirs)/run":                  {"/run"},
		"$TOP/run":                     {"/top/run"},
		"/python@3.11/bin/python":      {"/python@3.11/bin/python"},
	} {
		got := pathWords(text, func(name string) string { return map[string]string{"TOP": "/top"}[name] })
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("pathWords(%q) = %q, want %q among them", text, got, w)
			}
		}
	}
}
