package server

import (
	"maps"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// counts are what the server has done so far.
type counts struct {
	mu      sync.Mutex
	runs    int64
	warm    int64
	reasons map[jail.Reason]int64
	refusal map[string]int64 // by the code of the answer
}

func (c *counts) ran(r jail.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	if r.Warm {
		c.warm++
	}
	if c.reasons == nil {
		c.reasons = map[jail.Reason]int64{}
	}
	c.reasons[r.Reason]++
}

func (c *counts) refused(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal == nil {
		c.refusal = map[string]int64{}
	}
	c.refusal[code]++
}

// A status is what GET /v1/status answers.
type status struct {
	Schema    string       `json:"schema"`
	Version   string       `json:"version"`
	PID       int          `json:"pid"`
	StartedAt time.Time    `json:"started_at"`
	Draining  bool         `json:"draining"`
	Running   int          `json:"running"`
	Queued    int          `json:"queued"`
	Limits    statusLimits `json:"limits"`
	Pools     []statusPool `json:"pools"`
	Counts    statusCounts `json:"counts"`
}

type statusLimits struct {
	Running      int   `json:"running"`
	Queue        int   `json:"queue"`
	PerCaller    int   `json:"per_caller"`
	QueueTimeMS  int64 `json:"queue_timeout_ms"`
	CaptureBytes int64 `json:"capture_bytes"`
}

type statusPool struct {
	Profile string `json:"profile"`
	Size    int    `json:"size"`
	Ready   int    `json:"ready"` // of them, set up and waiting
}

type statusCounts struct {
	Runs    int64                 `json:"runs"`
	Warm    int64                 `json:"warm"`
	Reasons map[jail.Reason]int64 `json:"reasons"`
	Refused map[string]int64      `json:"refused"`
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	st := status{
		Schema: "jail-serve/1", Version: s.settings.Version, PID: os.Getpid(), StartedAt: s.started.UTC(), Pools: []statusPool{},
		Limits: statusLimits{s.settings.MaxRunning, s.settings.MaxQueue, s.settings.MaxPerCaller, s.settings.QueueTimeout.Milliseconds(), s.settings.MaxCapture},
	}
	st.Running, st.Queued, st.Draining = s.admission.counts()
	for _, p := range s.pools {
		st.Pools = append(st.Pools, statusPool{p.name, p.size, p.boxes.Ready()})
	}
	s.counts.mu.Lock()
	st.Counts = statusCounts{s.counts.runs, s.counts.warm, map[jail.Reason]int64{}, map[string]int64{}}
	maps.Copy(st.Counts.Reasons, s.counts.reasons)
	maps.Copy(st.Counts.Refused, s.counts.refusal)
	s.counts.mu.Unlock()
	reply(w, http.StatusOK, line(st))
}
