package engine

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const decided = "--memory=65536 --timeout=2s --cwd=/w --ro=/a=b --rw=/w --"
	base := options{memory: pageSize, timeout: 2 * time.Second, dir: "/w", grants: []grantOption{{"/a=b", false}, {"/w", true}}}
	with := func(change func(*options)) options {
		o := base
		change(&o)
		return o
	}
	for _, c := range []struct {
		args string
		want options
	}{
		{decided + " m.wasm", with(func(o *options) { o.module, o.args = "m.wasm", []string{} })},
		{decided + " m.wasm --rw=/ -- --memory=1", with(func(o *options) { o.module, o.args = "m.wasm", []string{"--rw=/", "--", "--memory=1"} })},
		{decided + " -- --rw=/", with(func(o *options) { o.module, o.args = "--rw=/", []string{} })},
		{decided + " --interpreter - x", with(func(o *options) { o.interpreter, o.module, o.args = true, "-", []string{"x"} })},
		{decided + " --javascript", with(func(o *options) { o.javascript = true })},
	} {
		got, err := parse(strings.Fields(c.args))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("parse(%q) = %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
	for args, want := range map[string]string{
		"":                                  "not by hand",
		"--memory=65536 --timeout=1s":       "not by hand",
		"--timeout=1s -- m":                 "not by hand",
		"m.wasm":                            "--NAME=VALUE",
		"--memory=1 --timeout=1s -- m":      "a page of 64 KiB at least",
		"--memory=65536 --memory=131072 --": "twice",
		"--memory=65536 --timeout=1s --timeout=2s --": "twice",
		"--memory=65536 --timeout=soon --":            "such as 30s",
		"--memory=65536 --timeout=-1s --":             "such as 30s",
		"--ro=a --":                                   "absolute",
		"--rw=/a/../b --":                             "absolute",
		"--cwd=/a/ --":                                "absolute",
		"--net=host --":                               "no such option",
		decided:                                       "the path of a WebAssembly module",
		decided + " --rw=/ m":                         `"--rw=/": there is no such option before the module`,
		decided + " --javascript m":                   "JavaScript comes on stdin",
	} {
		if got, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q) = %+v, %v, want an error with %q", args, got, err, want)
		}
	}
}
