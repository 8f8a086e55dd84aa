package jail

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// golden compares a record with testdata/NAME.json, after what differs from
// run to run was replaced by a placeholder. JAIL_UPDATE=1 writes the file.
func golden(t *testing.T, name string, res Result) {
	t.Helper()
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(b, &record); err != nil {
		t.Fatal(err)
	}
	for _, fault := range missingKeys(t, record) {
		t.Error(fault)
	}
	steady(record)
	var got bytes.Buffer
	e := json.NewEncoder(&got)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(record); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if os.Getenv("JAIL_UPDATE") == "1" {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the record is not that of %s (JAIL_UPDATE=1 takes it over):%s", file, difference(want, got.Bytes()))
	}
}

// difference is the lines that only one of two texts has.
func difference(want, got []byte) string {
	var out strings.Builder
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for _, side := range []struct {
		mark       string
		one, other []string
	}{{"\n- ", w, g}, {"\n+ ", g, w}} {
		for _, l := range side.one {
			if !slices.Contains(side.other, l) {
				out.WriteString(side.mark + strings.TrimSpace(l))
			}
		}
	}
	return out.String()
}

// steady replaces what depends on the clock, on chance and on the host.
func steady(record map[string]any) {
	record["id"], record["started_at"] = "<id>", "<time>"
	if slices.Contains([]any{"timeout", "cpu_time", "output_too_large", "out_of_memory", "canceled"}, record["reason"]) {
		record["kill_ms"] = "<n>" // else nobody was killed, and it is 0
	}
	usage := record["usage"].(map[string]any)
	for key := range usage {
		usage[key] = "<n>" // or null, where no source could say
	}
	// The tests run without a cgroup, too, and these limits then are null.
	limits := record["limits"].(map[string]any)
	for _, key := range []string{"cpu_time_ms", "memory_bytes", "cpus", "pids"} {
		if limits[key] == nil && groupError() == nil {
			continue // which the golden files do not have
		}
		limits[key] = "<n>"
	}
	if record["reason"] == "timeout" {
		limits["timeout_ms"] = "<n>" // longer on a slow host
	}
	for _, l := range record["layers"].([]any) {
		layer := l.(map[string]any)
		if layer["name"] == "cgroup" { // the tests run without one, too
			layer["asked"], layer["applied"] = "<bool>", "<bool>"
			delete(layer, "note")
		}
		if layer["name"] == "landlock" && landlockABI() == 0 { // as on other hosts
			layer["asked"] = true
			if record["reason"] != "setup_refused" {
				layer["applied"] = true
				delete(layer, "note")
			}
		}
		for _, key := range []string{"mechanism", "evidence"} {
			delete(layer, key)
		}
	}
	if _, ok := record["observed"]; ok { // by what the host lets be seen
		record["observed"] = "<observed>"
	}
	record["message"] = steadyText(record["message"])
	if refusal, ok := record["refusal"].(map[string]any); ok {
		refusal["operand"] = steadyText(refusal["operand"])
	}
}

func steadyText(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	for _, r := range []struct{ pattern, placeholder string }{
		{`after [0-9.]+(ms|s) of wall time \(limit [0-9.]+(ms|s)\)`, "after <time> of wall time (limit <limit>)"}, // longer on a slow host
		{`Landlock ABI [0-9]+`, "Landlock ABI <n>"},
		{`/sys/fs/cgroup/[a-z,]*/?nonexistent`, "<cgroups>/nonexistent"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.placeholder)
	}
	return text
}

type schemaFile struct {
	Required   []string
	Properties map[string]struct {
		Ref  string `json:"$ref"`
		Enum []string
	}
	Defs map[string]struct {
		Required []string
	} `json:"$defs"`
}

func loadSchema(t *testing.T) schemaFile {
	t.Helper()
	var s schemaFile
	b, err := os.ReadFile("schema.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reasonsOfSchema(t *testing.T) []Reason {
	t.Helper()
	var out []Reason
	for _, r := range loadSchema(t).Properties["reason"].Enum {
		out = append(out, Reason(r))
	}
	return out
}

// missingKeys are the keys that schema.json requires and a record lacks. What
// is in them is checked by the command's tests.
func missingKeys(t *testing.T, record map[string]any) []string {
	t.Helper()
	s := loadSchema(t)
	var faults []string
	need := func(at string, v any, keys []string) {
		object, _ := v.(map[string]any)
		for _, key := range keys {
			if _, ok := object[key]; !ok {
				faults = append(faults, "schema.json requires "+at+key+", and the record lacks it")
			}
		}
	}
	need("", record, s.Required)
	for name, property := range s.Properties {
		if _, ok := record[name]; ok && property.Ref != "" {
			need(name+".", record[name], s.Defs[strings.TrimPrefix(property.Ref, "#/$defs/")].Required)
		}
	}
	return faults
}

// The check for required keys can fail, and the golden files are of runs that
// are still made.
func TestGoldenFiles(t *testing.T) {
	if faults := missingKeys(t, map[string]any{"stdout": map[string]any{}}); len(faults) < 10 {
		t.Errorf("an empty record lacks only %q", faults)
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if !slices.ContainsFunc(causes, func(c caused) bool { return c.name == name }) {
			t.Errorf("%s belongs to no test", f)
		}
	}
}

// elf is the smallest ELF file that runs code.
func elf(code string) string {
	const base, header = 0x400000, 64 + 56
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	b = le.AppendUint16(b, 2)  // ET_EXEC
	b = le.AppendUint16(b, 62) // EM_X86_64
	b = le.AppendUint32(b, 1)
	for _, v := range []uint64{base + header, 64, 0} { // entry, program headers, no sections
		b = le.AppendUint64(b, v)
	}
	b = le.AppendUint32(b, 0)
	for _, v := range []uint16{64, 56, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, 1) // PT_LOAD
	b = le.AppendUint32(b, 5) // readable and executable
	for _, v := range []uint64{0, base, base, uint64(header + len(code)), uint64(header + len(code)), 4096} {
		b = le.AppendUint64(b, v)
	}
	return string(b) + code
}
