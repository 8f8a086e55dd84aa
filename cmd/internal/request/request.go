// Package request is what `jail serve` takes: a jail.Spec as JSON, strictly read,
// optionally starting from a profile. Schema.json says the same to other
// languages. The launcher writes such requests for `jail run --via`, and the
// server reads them, so it lies between the two.
package request

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// MostBytes is how large a request may be: the largest command line that the
// kernel takes (execve(2)) fits in, with a sixth of it written as base64.
const MostBytes = 8 << 20

// Schema is the JSON Schema of a request.
//
//go:embed schema.json
var Schema []byte

// A Request is one run. Absent fields have the defaults of jail.Spec, or of the
// profile if one is named.
type Request struct {
	// Client says for whom the caller asks; what it may have in the queue counts
	// under this name. Without it the caller's process is what counts.
	Client string `json:"client,omitempty"`
	// Profile is the name or the absolute path of a profile to start from. It is
	// looked up, and the interpreter found, where the server runs.
	Profile string `json:"profile,omitempty"`
	// Workspace is a folder of the host to show, writable, and to start in.
	Workspace Text `json:"workspace,omitempty"`

	Name         string      `json:"name,omitempty"`
	Tier         *int64      `json:"tier,omitempty"`
	Args         []Text      `json:"args,omitempty"`
	Env          []Text      `json:"env,omitempty"`
	Dir          Text        `json:"dir,omitempty"`
	Hostname     string      `json:"hostname,omitempty"`
	View         []Mount     `json:"view,omitempty"`
	Net          string      `json:"net,omitempty"`
	Unix         bool        `json:"unix,omitempty"`
	Seccomp      *Seccomp    `json:"seccomp,omitempty"`
	Limits       *Limits     `json:"limits,omitempty"`
	OutputMode   string      `json:"output_mode,omitempty"`
	CgroupParent Text        `json:"cgroup_parent,omitempty"`
	Optional     []string    `json:"optional,omitempty"`
	Require      []string    `json:"require,omitempty"`
	Timings      bool        `json:"timings,omitempty"`
	Trace        bool        `json:"trace,omitempty"`
	ProfileRef   *ProfileRef `json:"profile_ref,omitempty"`

	// Stdin is the whole input of a run that is not streamed.
	Stdin *Text `json:"stdin,omitempty"`
	// StdinFrames and Capture are for streams: input will come in frames, and
	// the output is to go into the record instead of into frames.
	StdinFrames bool `json:"stdin_frames,omitempty"`
	Capture     bool `json:"capture,omitempty"`
}

// Mount is a jail.Mount.
type Mount struct {
	Kind      string `json:"kind"`
	Source    Text   `json:"source,omitempty"`
	Target    Text   `json:"target"`
	SizeBytes *int64 `json:"size_bytes,omitempty"`
	Content   Text   `json:"content,omitempty"`
}

// Seccomp is a jail.Seccomp.
type Seccomp struct {
	Policy string   `json:"policy,omitempty"`
	Allow  []string `json:"allow,omitempty"`
	Deny   []string `json:"deny,omitempty"`
}

// Limits are jail.Limits under the names and in the units of the record. Times
// may have fractions.
type Limits struct {
	TimeoutMS     *float64 `json:"timeout_ms,omitempty"`
	CPUTimeMS     *float64 `json:"cpu_time_ms,omitempty"`
	MemoryBytes   *int64   `json:"memory_bytes,omitempty"`
	CPUs          *float64 `json:"cpus,omitempty"`
	Pids          *int64   `json:"pids,omitempty"`
	IdleTimeoutMS *float64 `json:"idle_timeout_ms,omitempty"`
	OutputBytes   *int64   `json:"output_bytes,omitempty"` // -1: unlimited
	TmpBytes      *int64   `json:"tmp_bytes,omitempty"`
	NoFile        *int64   `json:"nofile,omitempty"`
	FileSizeBytes *int64   `json:"file_size_bytes,omitempty"`
}

// ProfileRef is a jail.ProfileRef: a label of who composed the request himself.
type ProfileRef struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Files  []Text `json:"files,omitempty"`
	// Grants is absent where it is not known what gave them.
	Grants []Given  `json:"grants,omitzero"`
	Dir    Text     `json:"dir,omitempty"`
	Denies []string `json:"denies,omitempty"`
}

// A Given is the [jail.Given] of the same name.
type Given struct {
	Target Text `json:"target"`
	By     Text `json:"by"`
}

// A Text is a string of any bytes but NUL: paths, arguments and variables need
// not be UTF-8, which JSON is. What is none is written as {"base64": "…"}.
type Text string

// MarshalJSON writes t as a string where that keeps every byte.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
}
