package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// What a source misses in its caller's folder, and what is there that it names by its whole
// path, is told as it is of a program.
func TestSourcesMissWhatTheirCallerHas(t *testing.T) {
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "data.txt"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language     Language
		source, want string
	}{
		{Python, "return open('data.txt').read()", `"data.txt" lies in the folder that you are in`},
		{Node, "return require('fs').readFileSync('data.txt', 'utf8')", `"data.txt" lies in the folder that you are in`},
		{Sh, "cat data.txt", `"data.txt" lies in the folder that you are in`},
		{Python, "return open('DIR/data.txt').read()", `"DIR/data.txt" lies in a folder that the box does not show: --ro DIR shows what is there`},
		{Sh, "cat DIR/data.txt", `"DIR/data.txt" lies in a folder that the box does not show: --ro DIR shows what is there`},
		{Python, "return open('nothing.txt').read()", "its error tells of a file"},
	} {
		r := Request{Source: strings.ReplaceAll(c.source, "DIR", dir)}
		spec := specFor(t, c.language, r, profiles.Overrides{})
		spec.Profile.Dir = dir
		res, err := Eval(t.Context(), spec, c.language, r)
		if want := strings.ReplaceAll(c.want, "DIR", dir); err != nil || !strings.HasPrefix(res.Hint, want) {
			t.Errorf("%s: %s: %v, hint %q, want %q", c.language, r.Source, err, res.Hint, want)
		}
		if !strings.HasPrefix(c.want, `"data.txt"`) {
			continue
		}
		spec.View, spec.Dir = append(spec.View, jail.Mount{Kind: jail.MountRO, Source: dir, Target: dir}), dir // as the hint says
		if res, err = Eval(t.Context(), spec, c.language, r); err != nil || !res.OK {
			t.Errorf("%s: %s: %v, %s", c.language, r.Source, err, res.Message)
		}
	}
}

// Memory and processes that the kernel alone refuses are told of a source as of a program.
func TestSourcesComeToLimitsOfTheKernel(t *testing.T) {
	for _, c := range []struct {
		language     Language
		source, want string
		grouped      bool
	}{
		{Python, "x = bytearray(10**12)", "there is no control group, and each process may have ", false},
		{Node, "return new ArrayBuffer(2**40).byteLength", "there is no control group, and each process may have ", false},
		{Python, "import os\nfor i in range(200):\n  if os.fork() == 0:\n    import time; time.sleep(20)", "there is no control group, and the kernel counts processes", false},
		{Python, "import threading, time\nfor i in range(200): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()", "there is no control group, and the kernel counts processes", false},
		{Python, "x = bytearray(10**15)", "its words are of memory that it was refused at once", true},
	} {
		r := Request{Source: c.source}
		spec := specFor(t, c.language, r, profiles.Overrides{})
		if !c.grouped {
			spec.CgroupParent, spec.Optional = "/absent", append(spec.Optional, jail.LayerCgroup)
		}
		res, err := Eval(t.Context(), spec, c.language, r)
		if strings.Contains(c.want, "counts processes") && res.Limits.Pids == nil {
			continue // which a kernel does in a user namespace of its own
		}
		if err != nil || !strings.HasPrefix(res.Hint, c.want) {
			t.Errorf("%s: %s: %v, %s: %s, hint %q, want %q", c.language, c.source, err, res.Reason, res.Message, res.Hint, c.want)
		}
	}
}
