package jail

import (
	"encoding/json"
	"strconv"
)

type stepLine struct {
	List      string    `json:"list"`
	Stage     Stage     `json:"stage"`
	Layer     LayerName `json:"layer,omitempty"`
	Operation string    `json:"operation"`
	Operand   string    `json:"operand,omitempty"`
	Call      string    `json:"call"`
}

// MarshalJSON is the same as Text, for programs. Its schema is
// "jail-plan/1".
func (p *Plan) MarshalJSON() ([]byte, error) {
	steps := make([]stepLine, 0, p.len())
	for l := range lists {
		for _, s := range p.lists[l] {
			steps = append(steps, stepLine{listNames[l], s.Stage, s.Layer, s.Operation, s.Operand, s.String()})
		}
	}
	return json.Marshal(struct {
		Schema   string     `json:"schema"`
		Tier     Tier       `json:"tier"`
		Args     []string   `json:"args"`
		Env      []string   `json:"env"`
		UID      int        `json:"uid"`
		GID      int        `json:"gid"`
		OwnUID   bool       `json:"own_host_uid"`
		Net      Net        `json:"net"`
		Landlock int        `json:"landlock_abi"`
		Seccomp  int        `json:"seccomp_instructions"`
		Changed  []string   `json:"seccomp_changed,omitempty"`
		Limits   InForce    `json:"limits"`
		View     []viewLine `json:"view"`
		Steps    []stepLine `json:"steps"`
	}{"jail-plan/1", max(p.spec.Tier, Tier1), p.spec.Args, append([]string{}, p.spec.Env...), p.host.boxUID, p.host.boxGID, p.host.ownUID, p.net(), p.handled.abi,
		p.filter.program.Len(), p.changed(LayerSeccomp), p.spec.Limits.inForce(), p.viewLines(), steps})
}

func resultText(v int32) string {
	if v >= 0 {
		return strconv.Itoa(int(v))
	}
	return "-1 " + errnoName(-v)
}
