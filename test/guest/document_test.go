package main

import "testing"

func TestSteady(t *testing.T) {
	const one = `{"kernel":"6.1.0-57-cloud","box":{"wall_ms":201,"evidence":"user:[4026532163] NSpid 2","mechanism":"host uid 1879048331"},` +
		`"tier2":{"evidence":"NSpid 143","note":"/tmp/jail-tier2-76583658c0b4ba44 on 6.1.0-57-cloud"}}`
	const other = `{"kernel":"6.1.0-58-cloud","box":{"wall_ms":9,"evidence":"user:[4026531111] NSpid 2","mechanism":"host uid 1882880328"},` +
		`"tier2":{"evidence":"NSpid 7777","note":"/tmp/jail-tier2-0b on 6.1.0-58-cloud"}}`
	a, err := steady([]byte(one))
	if err != nil {
		t.Fatal(err)
	}
	b, err := steady([]byte(other))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s\nis not\n%s", a, b)
	}
	c, err := steady([]byte(`{"kernel":"6.1.0-57-cloud","box":{"wall_ms":1,"evidence":"user:[1] NSpid 3"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if difference(string(a), string(c)) == "" {
		t.Error("another pid in a pid namespace is no difference")
	}
}
