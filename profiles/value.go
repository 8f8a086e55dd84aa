package profiles

import (
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/seed-75010da9/jail/jail"
)

// A value is a TOML value: its kind, how it is written, and what it says.
type value struct {
	kind  unstable.Kind
	text  string // as written
	str   string // a string's content
	items []value
}

func newValue(p *unstable.Parser, n *unstable.Node) value {
	v := value{kind: n.Kind, text: string(n.Data)}
	switch n.Kind {
	case unstable.String:
		v.str = string(n.Data)
	case unstable.Array:
		texts := []string{}
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			item := value{kind: unstable.Array, text: "[…]"} // no setting has a list of lists
			if it.Node().Kind != unstable.Array {
				item = newValue(p, it.Node())
			}
			v.items = append(v.items, item)
			texts = append(texts, item.text)
		}
		v.text = "[" + strings.Join(texts, ", ") + "]"
	case unstable.InlineTable:
		v.text = "{…}"
	}
	return v
}

// The methods below store a value if it is acceptable, and say whether it is.

func (v value) string(dst *string) bool {
	if v.kind != unstable.String || strings.ContainsRune(v.str, 0) {
		return false
	}
	*dst = v.str
	return true
}

// oneOf stores a string that is one of a closed set.
func oneOf[T ~string](v value, dst *T, set ...T) bool {
	if v.kind != unstable.String || !slices.Contains(set, T(v.str)) {
		return false
	}
	*dst = T(v.str)
	return true
}

// strings stores a list of strings that are all acceptable to ok.
func (v value) strings(dst *[]string, ok func(string) bool) bool {
	list, good := v.list(ok)
	if good {
		*dst = list
	}
	return good
}

// more adds to a list what is not in it yet.
func (v value) more(dst *[]string, ok func(string) bool) bool {
	list, good := v.list(ok)
	if !good {
		return false
	}
	have := make(map[string]bool, len(*dst)+len(list))
	for _, s := range *dst {
		have[s] = true
	}
	for _, s := range list {
		if !have[s] {
			have[s] = true
			*dst = append(*dst, s)
		}
	}
	return true
}

func (v value) list(ok func(string) bool) ([]string, bool) {
	if v.kind != unstable.Array {
		return nil, false
	}
	list := make([]string, 0, len(v.items))
	for _, item := range v.items {
		if item.kind != unstable.String || strings.ContainsRune(item.str, 0) || !ok(item.str) {
			return nil, false
		}
		list = append(list, item.str)
	}
	return list, true
}

func (v value) bool(dst *bool) bool {
	if v.kind != unstable.Bool {
		return false
	}
	*dst = v.text == "true"
	return true
}

func (v value) size(dst *int64) bool {
	if v.kind != unstable.String && v.kind != unstable.Integer {
		return false
	}
	n, err := ParseSize(v.text)
	if err == nil {
		*dst = n
	}
	return err == nil
}

func (v value) output(dst *int64) bool {
	if v.kind == unstable.String && v.text == unlimited {
		*dst = jail.Unlimited
		return true
	}
	return v.size(dst)
}

func (v value) count(dst *int64) bool {
	if v.kind != unstable.Integer {
		return false
	}
	n, err := ParseCount(v.text)
	if err == nil {
		*dst = n
	}
	return err == nil
}

func (v value) duration(dst *time.Duration) bool {
	if v.kind != unstable.String {
		return false
	}
	d, err := ParseDuration(v.str)
	if err == nil {
		*dst = d
	}
	return err == nil
}

func (v value) cpus(dst *float64) bool {
	if v.kind != unstable.Integer && v.kind != unstable.Float {
		return false
	}
	f, err := ParseCPUs(v.text)
	if err == nil {
		*dst = f
	}
	return err == nil
}
