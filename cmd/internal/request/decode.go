package request

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// Decode reads a request strictly. All faults come at once, each with the field,
// its value and what is accepted; the Request then holds what could be read.
func Decode(text []byte) (Request, jail.Faults) {
	var r Request
	n, err := parse(text)
	if err != nil {
		return r, jail.Faults{{Field: "request", Want: wantObject + ": " + err.Error()}}
	}
	if _, ok := n.value.([]member); !ok {
		return r, jail.Faults{{Field: "request", Value: n.shown(), Want: wantObject + " and is " + n.kind()}}
	}
	d := decoder{}
	d.put(n, reflect.ValueOf(&r).Elem(), "")
	return r, d.faults
}

const wantObject = "must be a JSON object"

// NoObject says that the faults of Decode are of a text in which there is no
// request: of what it then lacks, the program say, nothing is known.
func NoObject(faults jail.Faults) bool {
	return len(faults) == 1 && faults[0].Field == "request" && strings.HasPrefix(faults[0].Want, wantObject)
}

// A decoder carries values over into a Request, whose fields and types are all it
// knows of what is accepted.
type decoder struct{ faults jail.Faults }

// mostFaults bounds what a request of nothing but faults is answered.
const mostFaults = 100

func (d *decoder) fault(at string, n node, want string) {
	if len(d.faults) == mostFaults {
		return
	}
	if at == "" {
		at = "request"
	}
	d.faults = append(d.faults, jail.Fault{Field: at, Value: n.shown(), Want: want})
}

func (d *decoder) put(n node, to reflect.Value, at string) {
	if to.Type() == reflect.TypeFor[Text]() {
		d.text(n, to, at)
		return
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		d.put(n, to.Elem(), at)
	case reflect.Struct:
		d.object(n, to, at)
	case reflect.Slice:
		d.list(n, to, at)
	case reflect.String:
		if s, ok := n.value.(string); ok {
			to.SetString(s)
			return
		}
		d.fault(at, n, "must be a string and is "+n.kind())
	case reflect.Bool:
		if b, ok := n.value.(bool); ok {
			to.SetBool(b)
			return
		}
		d.fault(at, n, "must be true or false and is "+n.kind())
	default:
		d.number(n, to, at)
	}
}

// text reads a string, or other bytes in base64.
func (d *decoder) text(n node, to reflect.Value, at string) {
	if s, ok := n.value.(string); ok {
		to.SetString(s)
		return
	}
	const want = `must be a string, or {"base64": "…"} for bytes that are not UTF-8`
	members, _ := n.value.([]member)
	if len(members) != 1 || members[0].key != "base64" {
		d.fault(at, n, want+", and is "+n.kind())
		return
	}
	s, _ := members[0].value.(string)
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || members[0].kind() != "a string" {
		d.fault(at+".base64", members[0].node, "must be a string in standard base64 with padding")
		return
	}
	to.SetString(string(b))
}

func (d *decoder) object(n node, to reflect.Value, at string) {
	members, ok := n.value.([]member)
	if !ok {
		d.fault(at, n, "must be an object and is "+n.kind())
		return
	}
	fields := fieldsOf(to.Type())
	seen := map[string]bool{}
	for _, m := range members {
		path := strings.TrimPrefix(at+"."+m.key, ".")
		i, known := fields[m.key]
		switch {
		case !known:
			d.fault(path, m.node, "is no field; accepted are "+strings.Join(namesOf(to.Type()), ", "))
		case seen[m.key]:
			d.fault(path, m.node, "is given twice")
		default:
			d.put(m.node, to.Field(i), path)
		}
		seen[m.key] = true
	}
}

func (d *decoder) list(n node, to reflect.Value, at string) {
	list, ok := n.value.([]node)
	if !ok {
		d.fault(at, n, "must be a list and is "+n.kind())
		return
	}
	to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
	for i, e := range list {
		d.put(e, to.Index(i), at+"["+strconv.Itoa(i)+"]")
	}
}

// number reads a whole number, or one with a fraction where to is a float. Zero
// stands for a default in a jail.Spec: here that is left out instead.
func (d *decoder) number(n node, to reflect.Value, at string) {
	text, ok := n.value.(json.Number)
	if !ok {
		d.fault(at, n, "must be a number and is "+n.kind())
		return
	}
	if to.Kind() == reflect.Float64 {
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || f <= 0 {
			d.fault(at, n, "must be a number above 0; leave it out for the default")
			return
		}
		to.SetFloat(f)
		return
	}
	i, err := strconv.ParseInt(string(text), 10, 64)
	if i == jail.Unlimited && at == mayBeUnlimited {
		to.SetInt(i)
		return
	}
	if err != nil || i <= 0 {
		d.fault(at, n, "must be a whole number above 0; leave it out for the default")
		return
	}
	to.SetInt(i)
}

// mayBeUnlimited is the one number that may be jail.Unlimited.
const mayBeUnlimited = "limits.output_bytes"

// nameOf is the name of a field in JSON.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		fields[nameOf(t.Field(i))] = i
	}
	return fields
}

func namesOf(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range t.NumField() {
		names[i] = nameOf(t.Field(i))
	}
	return names
}
