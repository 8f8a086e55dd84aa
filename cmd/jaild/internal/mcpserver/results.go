package mcpserver

import (
	"encoding/base64"
	"sync"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail"
)

// mostKept bounds the results that are kept, in bytes of output. The oldest go first.
const mostKept = 128 << 20

// A stream is one of the three things that a result has to read.
type stream string

const (
	streamStdout stream = "stdout"
	streamStderr stream = "stderr"
	streamValue  stream = "value"
)

func streams() []stream { return []stream{streamStdout, streamStderr, streamValue} }

// An output is all that was kept of one stream.
type output struct {
	kept []byte
	// written is how many bytes there were. Those that were not kept are missing
	// at gap.
	written, gap int64
}

// outputOf is what a record has of a stream.
func outputOf(o jail.Output) output {
	read := func(s string) []byte { return []byte(s) }
	if o.Encoding == "base64" {
		read = func(s string) []byte {
			b, _ := base64.StdEncoding.DecodeString(s) // it is the record's own
			return b
		}
	}
	head := read(o.Text)
	kept := append(head, read(o.Tail)...)
	if !o.Truncated { // what is not there is the value
		return output{kept: kept, written: int64(len(kept))}
	}
	return output{kept: kept, written: o.Bytes, gap: int64(len(head))}
}

func (o output) missing() int64 { return o.written - int64(len(o.kept)) }

// A part is one page of an output, as structured results have it.
type part struct {
	Text string `json:"text"`
	// Encoding is "" for text and "base64" for what is no UTF-8.
	Encoding string `json:"encoding,omitempty"`
	// Offset is where in what was kept the page begins, and NextOffset where the
	// next one does; null: this was the last.
	Offset     int64  `json:"offset"`
	NextOffset *int64 `json:"next_offset"`
	// Bytes is how many bytes the program wrote, Kept how many of them can be
	// read; the others are missing at Gap.
	Bytes int64  `json:"bytes"`
	Kept  int64  `json:"kept_bytes"`
	Gap   *int64 `json:"gap_at,omitempty"`
	raw   []byte
}

// page is at most length bytes from offset on, and whole characters where it is text.
func (o output) page(offset, length int64) part {
	kept := int64(len(o.kept))
	offset = min(offset, kept)
	end := min(offset+length, kept)
	for back := end; back > offset && end < kept && end-back < utf8.UTFMax; back-- {
		if utf8.RuneStart(o.kept[back]) {
			end = back
			break
		}
	}
	p := part{Offset: offset, Bytes: o.written, Kept: kept, raw: o.kept[offset:end]}
	if end < kept {
		p.NextOffset = &end
	}
	if o.missing() > 0 {
		p.Gap = &o.gap
	}
	if utf8.Valid(p.raw) {
		p.Text = string(p.raw)
	} else {
		p.Text, p.Encoding = base64.StdEncoding.EncodeToString(p.raw), "base64"
	}
	return p
}

// results keeps what calls have brought, for read_result.
type results struct {
	most int64

	mu    sync.Mutex
	use   int64
	order []string
	byID  map[string]map[stream]output
}

func newResults(most int64) *results {
	return &results{most: most, byID: map[string]map[stream]output{}}
}

// leastKept is what each result counts, however little it holds.
const leastKept = 1 << 10

func sizeOf(result map[stream]output) int64 {
	n := int64(leastKept)
	for _, o := range result {
		n += int64(len(o.kept))
	}
	return n
}

func (r *results) keep(id string, result map[stream]output) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[id], r.order, r.use = result, append(r.order, id), r.use+sizeOf(result)
	for r.use > r.most && len(r.order) > 1 {
		old := r.order[0]
		r.use -= sizeOf(r.byID[old])
		delete(r.byID, old)
		r.order = r.order[1:]
	}
}

func (r *results) get(id string, s stream) (output, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result, ok := r.byID[id]
	return result[s], ok
}
