package examples

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWhatIsPrinted: what comes of a program is told as it is, bytes and digits.
func TestWhatIsPrinted(t *testing.T) {
	const digits = "12345678901234567890123"
	rounded := []string{"node", "shell"} // where numbers are doubles, as the examples say
	for language, command := range clients(t) {
		t.Run(language, func(t *testing.T) {
			if program, ok := needs[language]; ok {
				needProgram(t, program)
			}
			for _, c := range []struct {
				args        []string
				stdin, want string
			}{
				{sh(`printf 'a "\303\244"'`), "", `value "a \"ä\""`},
				{sh(`printf '\377\n'`), "", `value base64 "/wo="`},
				{[]string{"eval", "--profile", "python"}, `{"source":"import os; os.write(1, b'\\xff'); return ['x']"}`, `value ["x"]`},
				{[]string{"eval", "--profile", "python"}, `{"source":"return ` + digits + `"}`, "value " + digits},
			} {
				client := exec.Command(command[0], append(command[1:], c.args...)...)
				client.Stdin = strings.NewReader(c.stdin)
				out, err := client.CombinedOutput()
				got := strings.TrimSuffix(string(out), "\n")
				if language == "python" {
					got = strings.ReplaceAll(got, `\u00e4`, "ä")
				}
				if c.want == "value "+digits && slices.Contains(rounded, language) {
					exact, _ := strconv.ParseFloat(digits, 64)
					if told, _ := strconv.ParseFloat(strings.TrimPrefix(got, "value "), 64); told == exact {
						continue
					}
				}
				if err != nil || got != c.want {
					t.Errorf("%q: %v, %q, want %q", c.args, err, out, c.want)
				}
			}
		})
	}
}
