package jail

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// libraryJSON is what WriteJSON has to write.
func libraryJSON(t testing.TB, r Result) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkJSON compares WriteJSON with the library, and shows where they part.
func checkJSON(t *testing.T, r Result) {
	t.Helper()
	var b bytes.Buffer
	n, err := r.WriteJSON(&b)
	got, want := b.String(), libraryJSON(t, r)
	if err != nil || n != int64(len(want)) {
		t.Errorf("WriteJSON() = %d, %v; want %d, nil", n, err, len(want))
	}
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	part := func(s string) string { return s[max(at-60, 0):min(at+60, len(s))] }
	t.Errorf("at byte %d WriteJSON() wrote\n%q, want\n%q", at, part(got), part(want))
}

// A filler sets every field that a record has, whatever its name: a field that was
// added to a type, and to the encoder not, is in the library's JSON alone.
type filler struct {
	t      *testing.T
	zero   func() bool // of what is asked for next
	string func() string
	number func() int64
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

func (f *filler) fill(v reflect.Value) {
	switch v.Type() {
	case timeType:
		v.Set(reflect.ValueOf(time.Unix(f.number()%1e10, f.number()%1e9).In(time.FixedZone("", int(f.number()%12)*3600))))
		return
	case rawType:
		v.SetBytes([]byte(" { \"a \\\" b\" : [ 1 ,\t\"\u2028<\xff\\\\\" , null ] ,\r\n \"\": \"\" } "))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && field.Tag.Get("json") != "-" && !f.zero() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
		if f.zero() {
			v.SetLen(0)
		}
	case reflect.String:
		v.SetString(f.string())
	case reflect.Int, reflect.Int64:
		v.SetInt(f.number())
	case reflect.Float64:
		v.SetFloat(float64(f.number()) / 1000)
	case reflect.Bool:
		v.SetBool(true)
	default:
		f.t.Fatalf("a %v in the record: teach it to this test, and to WriteJSON", v.Type())
	}
}

// oddStrings are what encoding/json does not write as it is, and what is close to that.
var oddStrings = []string{
	`"`, `\`, "/", "<&>", "\x7f", "\x80", "\xff", "é", "\xc3", "日本", "\xe6\x97", "😀", "\xf0\x9f\x98", "\u2027", "\u2028", "\u2029", "\u202a",
	"\xe2\x80", "\ufffd", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\U0010ffff", "\u0000\u0001\b\t\n\v\f\r\x0e\x1f ", `\u0041`, "plain",
}

// TestRecordJSONIsTheLibrarys fills records in every way.
func TestRecordJSONIsTheLibrarys(t *testing.T) {
	checkJSON(t, Result{})
	all := strings.Join(oddStrings, "a")
	f := &filler{t: t, zero: func() bool { return false }, string: func() string { return all }, number: func() int64 { return 42 }}
	var full Result
	f.fill(reflect.ValueOf(&full).Elem())
	checkJSON(t, full)

	random := rand.New(rand.NewPCG(1, 2))
	f.zero = func() bool { return random.IntN(3) == 0 }
	f.string = func() string {
		var s strings.Builder
		for range random.IntN(8) {
			s.WriteString(oddStrings[random.IntN(len(oddStrings))])
		}
		return s.String()
	}
	f.number = func() int64 { return int64(random.Uint64()) >> random.IntN(64) }
	for range 2000 {
		var r Result
		f.fill(reflect.ValueOf(&r).Elem())
		checkJSON(t, r)
		if t.Failed() {
			return
		}
	}
}

// TestRecordJSONOfNumbers has the library's way with fractions.
func TestRecordJSONOfNumbers(t *testing.T) {
	for _, n := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.25, 1e20, 1e21, -1e21, 1.5e300, 1e-6, 9.9e-7, -9.9e-7, 1e-9, 1.2345e-10, 5e-324, math.MaxFloat64, 1.0 / 3} {
		checkJSON(t, Result{Limits: InForce{CPUs: &n}})
	}
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		checkJSON(t, Result{KillMS: n, Usage: Usage{OOMKills: &n}})
	}
}

// TestRecordJSONAcrossPieces has everything odd lie at every place around the end of a
// piece.
func TestRecordJSONAcrossPieces(t *testing.T) {
	odd := strings.Join(oddStrings, "")
	var b bytes.Buffer
	if _, err := (Result{Stdout: Output{Text: odd}}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for n := RecordPiece - b.Len(); n <= RecordPiece; n++ {
		checkJSON(t, Result{Stdout: Output{Text: strings.Repeat("a", n) + odd}})
	}
	value := `["` + strings.Repeat(`\" `, 50_000) + `" ,  ` + strings.Repeat("[1 , 2],\n", 50_000) + "0]"
	checkJSON(t, Result{Stderr: Output{Text: strings.Repeat(odd, 2000)}, Value: json.RawMessage(value)})
}

// writes are the sizes of the writes that were made, up to the one that fails.
type writes struct {
	sizes []int
	fail  int // from 1; 0 for none
}

var errNoRoom = errors.New("no room")

func (w *writes) Write(b []byte) (int, error) {
	w.sizes = append(w.sizes, len(b))
	if len(w.sizes) == w.fail {
		return len(b) / 2, errNoRoom
	}
	return len(b), nil
}

func TestRecordOfOnePieceIsOneWrite(t *testing.T) {
	bare := len(libraryJSON(t, Result{}))
	for _, size := range []int{bare, shortRecord, shortRecord + 1, RecordPiece - 1, RecordPiece} {
		var w writes
		n, err := Result{Message: strings.Repeat("m", size-bare)}.WriteJSON(&w)
		if err != nil || n != int64(size) || len(w.sizes) != 1 {
			t.Errorf("a record of %d bytes: WriteJSON() = %d, %v in writes of %d; want one", size, n, err, w.sizes)
		}
	}
	var w writes
	n, err := Result{Message: strings.Repeat("m", 2*RecordPiece+1-bare)}.WriteJSON(&w)
	if err != nil || n != 2*RecordPiece+1 || len(w.sizes) != 3 || w.sizes[0] != RecordPiece || w.sizes[1] != RecordPiece || w.sizes[2] != 1 {
		t.Errorf("a record of two pieces and a byte: WriteJSON() = %d, %v in writes of %d", n, err, w.sizes)
	}
}

func TestRecordJSONStopsAtAFailedWrite(t *testing.T) {
	w := writes{fail: 2}
	n, err := Result{Message: strings.Repeat("m", 5*RecordPiece)}.WriteJSON(&w)
	if want := int64(RecordPiece + RecordPiece/2); !errors.Is(err, errNoRoom) || n != want || len(w.sizes) != 2 {
		t.Errorf("WriteJSON() = %d, %v in %d writes; want %d, %v in 2", n, err, len(w.sizes), want, errNoRoom)
	}
}

// TestRecordWithoutJSON: nothing at all is written of it, however long it is.
func TestRecordWithoutJSON(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for part, r := range map[string]Result{
		"value":       {Value: json.RawMessage(`{"a":1,}`)},
		"value: ":     {Value: json.RawMessage(" ")},
		"limits.cpus": {Limits: InForce{CPUs: &nan}},
		"cpus":        {Limits: InForce{CPUs: &inf}},
		"started_at":  {StartedAt: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if _, err := json.Marshal(r); err == nil {
			t.Errorf("%s: the library writes it", part)
		}
		r.Stdout.Text = strings.Repeat("a", 2*RecordPiece)
		var w writes
		if n, err := r.WriteJSON(&w); err == nil || !strings.Contains(err.Error(), part) || n != 0 || len(w.sizes) != 0 {
			t.Errorf("WriteJSON() = %d, %v in writes of %d; want an error that names %s, and none", n, err, w.sizes, part)
		}
	}
}

// TestRecordJSONHoldsNoOutput: what a record is written with does not grow with it.
func TestRecordJSONHoldsNoOutput(t *testing.T) {
	leaveToFullTests(t) // a race detector allocates as well
	long := Result{Stdout: Output{Text: strings.Repeat("some \"words\" of a line\n", 1<<19)}, Value: json.RawMessage(`"` + strings.Repeat("a", 8<<20) + `"`)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := long.WriteJSON(io.Discard)
	runtime.ReadMemStats(&after)
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes of memory for a record of %d", took, n)
	if err != nil || n < 16<<20 || took > 2*RecordPiece {
		t.Errorf("WriteJSON() = %d, %v with %d bytes of memory, want at most %d", n, err, took, 2*RecordPiece)
	}
}

// usualRecord is one as `jail run` writes it.
func usualRecord() Result {
	n, cpus, code := int64(123456), 1.5, 0
	r := Result{
		Schema: Schema, ID: "0123456789abcdef", Tier: Tier1, Reason: ReasonOK, OK: true, ExitCode: &code,
		Stdout: Output{Text: "hello, world\n", Bytes: 13}, TreeEmpty: true, StartedAt: time.Unix(1e9, 123456789),
		Usage:    Usage{WallMS: 4, CPUUserMS: &n, CPUSystemMS: &n, MemoryPeakBytes: &n, PidsPeak: &n, OOMKills: &n},
		Limits:   InForce{TimeoutMS: 10_000, CPUTimeMS: &n, MemoryBytes: &n, CPUs: &cpus, Pids: &n, OutputBytes: &n, TmpBytes: n, NoFile: 256, FileSizeBytes: n},
		Denials:  []Denial{},
		Observed: &Observation{Sources: []string{"exit status", "cgroup"}, Blind: []string{"what Landlock refuses without a record of it"}},
	}
	for _, name := range []LayerName{LayerNamespaces, LayerRoot, LayerCaps, LayerLandlock, LayerSeccomp, LayerCgroup, LayerRlimits} {
		r.Layers = append(r.Layers, Layer{Name: name, Asked: true, Applied: true, Mechanism: "one that enforces it", Evidence: strings.Repeat("what the kernel says; ", 8)})
	}
	return r
}

func BenchmarkRecordJSON(b *testing.B) {
	r := usualRecord()
	long := r
	long.Stdout.Text = strings.Repeat("some \"words\" of a line\n", 1<<16)
	for name, record := range map[string]Result{"usual": r, "long": long} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n, _ := record.WriteJSON(io.Discard)
			b.SetBytes(n)
			for b.Loop() {
				if _, err := record.WriteJSON(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
