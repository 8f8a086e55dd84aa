package jail

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// WriteJSON writes r as one line of JSON, which is what encoding/json makes of it where
// it does not escape for HTML, and says how many bytes of it w took. A line of up to
// RecordPiece bytes is one Write; of a longer one every Write but the last has that many,
// so that a large output is not held a second time. Nothing is written of what JSON has
// no form for: a Value that is no JSON, CPUs that are no finite number, a year of five
// digits.
//
// It stands in the place of encoding/json because of where it runs, at the end of a
// process that writes one record in its life. The library looks at the types first, by
// reflection, and keeps what it learned for a second time that never comes: a
// twentieth of a short run went into that.
func (r Result) WriteJSON(w io.Writer) (int64, error) {
	started, err := r.StartedAt.MarshalJSON()
	switch {
	case err != nil:
		return 0, fmt.Errorf("jail: started_at: %w", err)
	case len(r.Value) > 0 && !json.Valid(r.Value):
		return 0, fmt.Errorf("jail: value: %w", json.Unmarshal(r.Value, new(json.RawMessage)))
	case r.Limits.CPUs != nil && (math.IsNaN(*r.Limits.CPUs) || math.IsInf(*r.Limits.CPUs, 0)):
		return 0, errors.New("jail: limits.cpus: must be a finite number")
	}
	p := &jsonPieces{w: w, piece: make([]byte, 0, shortRecord)}
	p.outcome(r)
	p.output(`,"stdout":`, r.Stdout)
	p.output(`,"stderr":`, r.Stderr)
	p.usage(r.Usage)
	p.inForce(r.Limits)
	p.layers(r.Layers)
	p.denials(r.Denials)
	p.end(r, string(started))
	p.flush()
	return p.written, p.err
}

func (p *jsonPieces) outcome(r Result) {
	p.text(`{"schema":`, r.Schema)
	p.text(`,"id":`, r.ID)
	p.textIf(`,"name":`, r.Name)
	p.number(`,"tier":`, int64(r.Tier))
	p.text(`,"reason":`, string(r.Reason))
	p.truth(`,"ok":`, r.OK)
	if r.ExitCode == nil {
		p.null(`,"exit_code":`)
	} else {
		p.number(`,"exit_code":`, int64(*r.ExitCode))
	}
	if r.Signal == nil {
		p.null(`,"signal":`)
	} else {
		p.text(`,"signal":`, *r.Signal)
	}
	p.text(`,"message":`, r.Message)
	p.textIf(`,"hint":`, r.Hint)
	if r.Refusal != nil {
		p.refusal(*r.Refusal)
	}
}

func (p *jsonPieces) refusal(r Refusal) {
	p.put(`,"refusal":{`)
	if r.Layer != "" {
		p.text(`"layer":`, string(r.Layer))
		p.put(`,`)
	}
	p.text(`"stage":`, string(r.Stage))
	p.textIf(`,"operation":`, r.Operation)
	p.textIf(`,"operand":`, r.Operand)
	p.textIf(`,"errno":`, r.Errno)
	p.numberIf(`,"errno_number":`, int64(r.ErrnoNumber))
	p.textIf(`,"remedy":`, r.Remedy)
	p.put(`}`)
}

func (p *jsonPieces) output(key string, o Output) {
	p.put(key)
	p.text(`{"text":`, o.Text)
	p.textIf(`,"encoding":`, o.Encoding)
	p.textIf(`,"tail":`, o.Tail)
	p.number(`,"bytes":`, o.Bytes)
	p.truth(`,"truncated":`, o.Truncated)
	p.put(`}`)
}

func (p *jsonPieces) usage(u Usage) {
	p.number(`,"usage":{"wall_ms":`, u.WallMS)
	p.numberOrNull(`,"cpu_user_ms":`, u.CPUUserMS)
	p.numberOrNull(`,"cpu_system_ms":`, u.CPUSystemMS)
	p.numberOrNull(`,"memory_peak_bytes":`, u.MemoryPeakBytes)
	p.numberOrNull(`,"pids_peak":`, u.PidsPeak)
	p.numberOrNull(`,"io_read_bytes":`, u.IOReadBytes)
	p.numberOrNull(`,"io_write_bytes":`, u.IOWriteBytes)
	p.numberOrNull(`,"oom_kills":`, u.OOMKills)
	p.numberOrNull(`,"cpu_throttled_ms":`, u.CPUThrottledMS)
	p.put(`}`)
}

func (p *jsonPieces) inForce(l InForce) {
	p.number(`,"limits":{"timeout_ms":`, l.TimeoutMS)
	p.numberIf(`,"idle_timeout_ms":`, l.IdleTimeoutMS)
	p.numberOrNull(`,"cpu_time_ms":`, l.CPUTimeMS)
	p.numberOrNull(`,"memory_bytes":`, l.MemoryBytes)
	p.fractionOrNull(`,"cpus":`, l.CPUs)
	p.numberOrNull(`,"pids":`, l.Pids)
	p.numberOrNull(`,"output_bytes":`, l.OutputBytes)
	p.number(`,"tmp_bytes":`, l.TmpBytes)
	p.number(`,"nofile":`, l.NoFile)
	p.number(`,"file_size_bytes":`, l.FileSizeBytes)
	p.put(`}`)
}

func (p *jsonPieces) layers(list []Layer) {
	if list == nil {
		p.null(`,"layers":`)
		return
	}
	p.put(`,"layers":[`)
	for i, l := range list {
		p.next(i)
		p.text(`{"name":`, string(l.Name))
		p.truth(`,"asked":`, l.Asked)
		p.truth(`,"applied":`, l.Applied)
		p.textIf(`,"mechanism":`, l.Mechanism)
		p.textIf(`,"evidence":`, l.Evidence)
		if len(l.Changed) > 0 {
			p.texts(`,"changed":`, l.Changed)
		}
		p.textIf(`,"note":`, l.Note)
		p.put(`}`)
	}
	p.put(`]`)
}

func (p *jsonPieces) denials(list []Denial) {
	if list == nil {
		p.null(`,"denials":`)
		return
	}
	p.put(`,"denials":[`)
	for i, d := range list {
		p.next(i)
		p.text(`{"layer":`, string(d.Layer))
		p.text(`,"what":`, d.What)
		p.number(`,"count":`, d.Count)
		p.textIf(`,"errno":`, d.Errno)
		p.text(`,"grant":`, d.Grant)
		p.textIf(`,"opens":`, d.Opens)
		p.textIf(`,"setting":`, d.Setting)
		p.textIf(`,"never":`, d.Never)
		p.textIf(`,"source":`, d.Source)
		p.truthIf(`,"likely":`, d.Likely)
		p.put(`}`)
	}
	p.put(`]`)
}

// end writes what follows the denials. started is StartedAt with its quotes.
func (p *jsonPieces) end(r Result, started string) {
	if o := r.Observed; o != nil {
		p.texts(`,"observed":{"sources":`, o.Sources)
		p.texts(`,"blind":`, o.Blind)
		p.put(`}`)
	}
	p.truth(`,"tree_empty":`, r.TreeEmpty)
	p.number(`,"kill_ms":`, r.KillMS)
	if r.Profile != nil {
		p.text(`,"profile":{"name":`, r.Profile.Name)
		p.text(`,"digest":`, r.Profile.Digest)
		p.put(`}`)
	}
	p.truthIf(`,"warm":`, r.Warm)
	p.put(`,"started_at":`)
	p.put(started)
	for i, t := range r.Timings {
		if i == 0 {
			p.put(`,"timings":[`)
		}
		p.next(i)
		p.text(`{"process":`, t.Process)
		p.text(`,"stage":`, string(t.Stage))
		p.number(`,"at_us":`, t.AtUS)
		p.number(`,"us":`, t.US)
		p.put(`}`)
	}
	if len(r.Timings) > 0 {
		p.put(`]`)
	}
	if len(r.Value) > 0 {
		p.compact(`,"value":`, r.Value)
	}
	if r.Error != nil {
		p.text(`,"error":{"name":`, r.Error.Name)
		p.text(`,"message":`, r.Error.Message)
		p.text(`,"trace":`, r.Error.Trace)
		p.put(`}`)
	}
	p.put("}\n")
}
