package learn

import (
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// A name with the number of a process in it is known by those that earlier runs left
// behind, and by those of other runs: the next one has the folder.
func TestNumbersInNames(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		uses  []jail.PathUse
		want  []string
	}{
		{"one of many that were left", []string{"st/worker-1.pid", "st/worker-25.pid"}, []jail.PathUse{wrote("st/worker-25.pid")}, []string{"st"}},
		{"one in the middle", []string{"st/server.2.pid", "st/server.13.pid"}, []jail.PathUse{wrote("st/server.2.pid")}, []string{"st"}},
		{"one alone", []string{"st/worker-25.pid", "st/worker.log"}, []jail.PathUse{wrote("st/worker-25.pid")}, []string{"st/worker-25.pid"}},
		{"all of them", []string{"st/part-1", "st/part-2", "st/x"}, []jail.PathUse{wrote("st/part-1"), wrote("st/part-2")}, []string{"st/part-1", "st/part-2"}},
		{"another shape", []string{"st/db1", "st/log1"}, []jail.PathUse{wrote("st/db1")}, []string{"st/db1"}},
		{"no number", []string{"st/a", "st/b"}, []jail.PathUse{wrote("st/a")}, []string{"st/a"}},
	} {
		dir, at := project(t, c.files...)
		for i := range c.uses {
			c.uses[i].Path = at(c.uses[i].Path)
		}
		compare(t, c.name, learnedOf(dir, c.uses...).Writable, inDir(at, c.want...))
	}
	l := From("base", []string{"x"}, []Watched{watched(wrote("/proj/st/w-1.pid"), read("/proj/in/r-1"), read("/proj/in/same-1")), watched(wrote("/proj/st/w-2.pid"), read("/proj/in/r-2"), read("/proj/in/same-1"))})
	compare(t, "two runs, written", l.Writable, []string{"/proj/st"})
	compare(t, "two runs, read", l.ReadOnly, []string{"/proj/in"})
	l = From("base", []string{"x"}, []Watched{watched(wrote("/proj/st/w-1.pid"), read("/proj/in/r-1")), watched(wrote("/proj/st/w-1.pid"), read("/proj/in/r-1"))})
	compare(t, "two runs alike, written", l.Writable, []string{"/proj/st/w-1.pid"})
	compare(t, "two runs alike, read", l.ReadOnly, []string{"/proj/in/r-1"})
}
