package selftest

import (
	"fmt"
	"slices"

	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// noBox is that a host gives no box to attack, for want of a layer if one is named.
type noBox struct {
	layer jail.LayerName
	text  string
}

func (e *noBox) Error() string { return e.text }

// layersHere is what a box has here; a host that gives none is an error.
func layersHere(who attacks.Role) ([]LayerOf, error) {
	var t trial
	layers := []LayerOf{}
	var record jail.Result
	t.do(func() { record = attacks.Box(&t, who) })
	if t.failed != nil {
		return layers, t.failed
	}
	if record.Reason == jail.ReasonSetupRefused || record.Reason == "" {
		none := &noBox{text: fmt.Sprintf("this host gives no box of tier %d to test: %s; `jail doctor` says what is missing", who.Tier, record.Message)}
		if record.Refusal != nil {
			none.layer = record.Refusal.Layer
			if remedy := record.Refusal.Remedy; remedy != "" {
				none.text = fmt.Sprintf("this host gives no box of tier %d to test: %s (%s)", who.Tier, record.Message, remedy)
			}
		}
		return layers, none
	}
	for _, l := range record.Layers {
		layers = append(layers, LayerOf{l.Name, l.Applied, l.Mechanism, l.Note})
	}
	return layers, nil
}

// missing are the layers without which a run is refused, and a box here is.
func (s settings) missing(layers []LayerOf) []jail.LayerName {
	missing := []jail.LayerName{}
	for _, l := range layers {
		if !l.Applied && slices.Contains(jail.OptionalLayers, l.Name) && !slices.Contains(s.Optional, string(l.Name)) {
			missing = append(missing, l.Name)
		}
	}
	return missing
}
