package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// An answer is what a caller gets in the place of a record, as {"error": …}.
type answer struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	Faults       []fault `json:"faults,omitempty"`
	RetryAfterMS int64   `json:"retry_after_ms,omitempty"`

	status int
}

// A fault is a jail.Fault under the names of a request's fields.
type fault struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Want  string `json:"want"`
}

// retryAfter is when it makes sense to ask a full server again: HTTP counts in
// seconds.
const retryAfter = time.Second

// longestValue bounds what is repeated of a value that is not accepted.
const longestValue = 200

func badRequest(faults jail.Faults) answer {
	a := answer{Code: "invalid_request", status: http.StatusBadRequest}
	lines := make([]string, len(faults))
	for i, f := range faults {
		if len(f.Value) > longestValue {
			f.Value = f.Value[:longestValue] + "…"
		}
		a.Faults = append(a.Faults, fault(f))
		if lines[i] = f.Field + ": " + f.Want; f.Value != "" {
			lines[i] = fmt.Sprintf("%s %q: %s", f.Field, f.Value, f.Want)
		}
	}
	a.Message = strings.Join(lines, "; ")
	return a
}

func tooLarge(most int64) answer {
	return answer{Code: "too_large", status: http.StatusRequestEntityTooLarge,
		Message: fmt.Sprintf("the request has more than %d bytes; a longer input goes in frames (/v1/stream)", most)}
}

func full(message string) answer {
	return answer{Code: "full", Message: message, RetryAfterMS: retryAfter.Milliseconds(), status: http.StatusTooManyRequests}
}

func draining() answer {
	return answer{Code: "draining", Message: "the server is ending and takes no new work", status: http.StatusServiceUnavailable}
}

func (a answer) Error() string { return a.Message }

func (a answer) json() []byte { return line(map[string]answer{"error": a}) }

// write answers w with a.
func (a answer) write(w http.ResponseWriter) {
	if a.RetryAfterMS > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((a.RetryAfterMS+999)/1000, 10))
	}
	// What is left of the request is not worth reading.
	w.Header().Set("Connection", "close")
	reply(w, a.status, a.json())
}

// replyTime is how long a caller may take to read an answer.
const replyTime = 30 * time.Second

func reply(w http.ResponseWriter, status int, body []byte) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// line is v as one line of JSON that stays readable, as the launcher writes it.
func line(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"error":{"code":"internal","message":"an answer could not be written"}}` + "\n")
	}
	return []byte(b.String())
}
