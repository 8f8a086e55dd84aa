package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// documents is where what jail doctor --json says on each host is kept.
const documents = "cmd/jail/internal/doctor/testdata/hosts"

// varying is all of doctor's document that differs between two runs on one host,
// and what stands for it in the documents that are kept. All else is the same as
// long as the host is.
func varying() []replacement {
	return []replacement{
		{regexp.MustCompile(`"wall_ms":\d+`), `"wall_ms":0`, "`wall_ms`"},
		{regexp.MustCompile(`:\[\d+\]`), `:[N]`, "the numbers of namespaces"},
		{regexp.MustCompile(`\b18(79|8[0-7])\d{6}\b`), `1879048192`, "the host uid of a box of root's"},
		{regexp.MustCompile(`NSpid (\d{2,})`), `NSpid N`, "the pid of a box of tier 2"},
		{regexp.MustCompile(`jail-tier2-[0-9a-f]+`), `jail-tier2-N`, "the name of its private folder"},
		{regexp.MustCompile(`jail-\d+\.scope`), `jail-N.scope`, "the name of a scope that systemd made"},
		{regexp.MustCompile(`RLIMIT_NPROC \{\d+, \d+\}`), `RLIMIT_NPROC {N, N}`, "RLIMIT_NPROC, which counts the processes that its user has already"},
		{regexp.MustCompile(`\b\d+ instructions`), `N instructions`, "the length of the filter, from one version of jail or of the kernel to the next"},
	}
}

// A replacement is one thing that varies, by the JSON or the text that it is in.
type replacement struct {
	pattern *regexp.Regexp
	by      string
	what    string
}

// steady is a document without what varies. Of the kernel's release its line is
// left: there is a newer one every few weeks.
func steady(document json.RawMessage) ([]byte, error) {
	var said struct{ Kernel string }
	if err := json.Unmarshal(document, &said); err != nil {
		return nil, err
	}
	text := document
	if line := lineOf(said.Kernel); line != "" {
		text = bytes.ReplaceAll(text, []byte(said.Kernel), []byte(line))
	}
	for _, r := range varying() {
		text = r.pattern.ReplaceAll(text, []byte(r.by))
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "\t"); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// lineOf is the first two numbers of a release: "6.12" of 6.12.117+deb12.
func lineOf(release string) string {
	return regexp.MustCompile(`^\d+\.\d+`).FindString(release)
}

// placeOf is what the document of a job is called.
func (b bout) placeOf(job string) string {
	if who, ok := strings.CutPrefix(job, inContainer); ok {
		return b.class.name + "-container-" + who
	}
	return b.class.name + "-" + b.role()
}

// compareRows does so for the documents among the rows of a suite of systemd's.
func (b bout) compareRows(e ended) (string, error) {
	for _, v := range e.Passes {
		_, who, ok := strings.Cut(v.Test, "/doctor_as_")
		if !ok {
			continue
		}
		at := strings.Index(v.Said, `{"schema"`)
		if at < 0 {
			return v.Test + " has no document", nil
		}
		if wrong, err := b.compare(e.Name+"-"+who, json.RawMessage(v.Said[at:])); wrong != "" || err != nil {
			return v.Test + ": " + wrong, err
		}
	}
	return "", nil
}

// compare says what of a document is not as it was on such a host before, or
// keeps it from now on.
func (b bout) compare(place string, document json.RawMessage) (string, error) {
	file := filepath.Join(b.work.root, documents, place+".json")
	got, err := steady(document)
	if err != nil {
		return "", err
	}
	if b.update {
		return "", os.WriteFile(file, got, 0o644)
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no document of this host: -update keeps this one", nil
	}
	if err != nil {
		return "", err
	}
	return difference(string(want), string(got)), nil
}

// difference is the lines at the first place where two texts differ, or "".
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		was, is := "", ""
		if i < len(w) {
			was = strings.TrimSpace(w[i])
		}
		if i < len(g) {
			is = strings.TrimSpace(g[i])
		}
		if was != is {
			return fmt.Sprintf("line %d of its document is %s, and was %s", i+1, is, was)
		}
	}
	return ""
}
