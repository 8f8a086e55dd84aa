package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail"
)

// An Answer is what a runner writes: once, with one of the three.
type Answer struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Error   *jail.Thrown    `json:"error,omitempty"`
	Invalid *string         `json:"invalid,omitempty"`
}

// Encode is the answer as it is written. In front of the JSON stand the token, so that
// nothing can come before it, and the length of the JSON in bytes: who has been handed the
// descriptor could write into the middle of a long answer, but takes nothing out of it.
func (a Answer) Encode(token string) ([]byte, error) {
	document, err := json.Marshal(a)
	return append(head(token, len(document)), document...), err
}

func head(token string, length int) []byte { return fmt.Appendf(nil, "%s %d\n", token, length) }

// written is what was written in a run, most bytes at most. From a size on it takes the
// room for all of it at once: pages that nothing is written to cost nothing, while a slice
// that grows by and by leaves behind several times what it holds.
type written struct {
	bytes []byte
	most  int64
}

func (w *written) Write(b []byte) (int, error) {
	const large, tooLarge = 1 << 20, 64 << 20
	if n := len(w.bytes) + len(b); n > cap(w.bytes) && n >= large && int64(n) <= w.most && w.most <= tooLarge {
		w.bytes = append(make([]byte, 0, w.most), w.bytes...)
	}
	w.bytes = append(w.bytes, b...)
	return len(b), nil
}

// parseAnswer reads what was written, which must be one answer and nothing besides.
func parseAnswer(written []byte, token string) (Answer, bool) {
	var a Answer
	_, document, _ := bytes.Cut(written, []byte{'\n'})
	if !bytes.HasPrefix(written, head(token, len(document))) || !utf8.Valid(document) {
		return Answer{}, false
	}
	if rest, ok := bytes.CutPrefix(document, []byte(`{"value":`)); ok { // which is not copied then: it may be large
		if value, ok := bytes.CutSuffix(rest, []byte("}")); ok && json.Valid(value) {
			a.Value = bytes.TrimSpace(value)
			return a, true
		}
	}
	if json.Unmarshal(document, &a) != nil {
		return Answer{}, false
	}
	return a, true
}

// thrownIn is what the answer in what was written says of an error, as a program says it
// on stderr.
func thrownIn(written []byte, token string) string {
	a, ok := parseAnswer(written, token)
	if !ok || a.Error == nil {
		return ""
	}
	return summary(*a.Error) + "\n" + most(a.Error.Trace, mostTrace)
}

// judge adds to a record what the program answered.
func judge(res *jail.Result, l Language, written []byte, token string) {
	a, ok := parseAnswer(written, token)
	switch {
	case res.Reason != jail.ReasonOK:
		if ok && a.Error != nil && res.ExitCode != nil {
			// A source that answers in the runner's place keeps to no bounds.
			a.Error = &jail.Thrown{Name: most(a.Error.Name, mostName), Message: most(a.Error.Message, mostMessage), Trace: most(a.Error.Trace, mostTrace)}
			res.Error = a.Error
			res.Heed(summary(*a.Error))
			res.Message += ": " + summary(*a.Error)
			full := l == Wasm && isFull(*a.Error) || l == Node && workerFull(*a.Error) && hadMemory(res)
			if full && res.Reason == jail.ReasonExecutionFailed {
				res.Reason = jail.ReasonOutOfMemory
			}
			if hint := hintFor(*a.Error); hint != "" {
				res.Hint = hint
			}
		}
	case len(written) == 0:
		invalid(res, "it ended without a value", "return the value; a program that exits by itself, or closes descriptors that it has not opened, has none")
	case !ok:
		invalid(res, "what was written in place of its value was not written by the runner alone", "return the value; leave descriptors that the source has not opened alone")
	case a.Invalid != nil:
		invalid(res, most(*a.Invalid, mostName+mostMessage), "return what JSON can express")
	case len(a.Value) == 0: // an error, and exit code 0
		invalid(res, "it ended without a value", "return the value")
	case tooDeep(a.Value):
		invalid(res, "its value is nested too deep", "return what is nested less")
	case tooLarge(a.Value) != "":
		invalid(res, numberTooLarge(tooLarge(a.Value)), "return it as a string")
	case loneSurrogate(a.Value):
		invalid(res, halfAPair, "return text, or bytes")
	default:
		res.Value = a.Value
	}
}

// judgeOutput is judge for a program whose output is the value. There it does not
// stay part of the output; what is no value does.
func judgeOutput(res *jail.Result) {
	if res.Reason != jail.ReasonOK {
		return
	}
	text := []byte(strings.TrimSpace(res.Stdout.Text))
	switch {
	case res.Stdout.Bytes == 0:
		invalid(res, "it wrote none", "write one JSON document to stdout")
	case res.Stdout.Truncated:
		invalid(res, "its output was cut at the cap", "raise --output")
	case res.Stdout.Encoding != "":
		invalid(res, "its output is not UTF-8, as JSON is", "write text, or bytes in base64")
	case tooDeep(text):
		invalid(res, fmt.Sprintf("its output is nested deeper than %d levels", MaxDepth), "write what is nested less")
	case !json.Valid(text):
		invalid(res, "its output is not one JSON document", "write one JSON document to stdout, and everything else to stderr")
	case tooLarge(text) != "":
		invalid(res, numberTooLarge(tooLarge(text)), "write it as a string")
	case loneSurrogate(text):
		invalid(res, halfAPair, "write text, or bytes in base64")
	default:
		res.Value, res.Stdout.Text = text, ""
	}
}

func invalid(res *jail.Result, why, hint string) {
	res.Reason, res.OK = jail.ReasonInvalidOutput, false
	res.Message, res.Hint = "the program ended with exit code 0, and there is no value: "+why, hint
}

// tooLarge is the first number of a JSON document that is beyond the range of doubles,
// or "". RFC 8259, section 6, lets readers set limits, and they do: for such a number
// Go's decoder refuses the whole document, Python's that of an integer of more than
// 4300 digits, and JavaScript's makes Infinity of it.
func tooLarge(text []byte) string {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			end := i
			for end < len(text) && strings.IndexByte("+-.eE0123456789", text[end]) >= 0 {
				end++
			}
			number := string(text[i:end])
			if _, err := strconv.ParseFloat(number, 64); err != nil {
				return number
			}
			i = end - 1
		}
	}
	return ""
}

func numberTooLarge(number string) string {
	return "it holds the number " + shortened(number) + ", which is beyond 1.8e308, the range of doubles: many readers of JSON do not take it"
}

// halfAPair is what jq and Rust's readers refuse a whole document for, and others replace
// (RFC 8259, section 8.2).
const halfAPair = "it holds half of a surrogate pair, which is no text: many readers of JSON do not take it"

// summary is what was thrown, in one line.
func summary(t jail.Thrown) string {
	line, _, _ := strings.Cut(t.Name+": "+t.Message, "\n")
	return most(line, 300)
}

// What the runners cut an error's name, message and trace to, in characters of up to
// four bytes.
const (
	mostName    = 4 * 260
	mostMessage = 4 * 8200
	mostTrace   = 4 * 16400
)

// most is the beginning of a text of more than n bytes.
func most(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
