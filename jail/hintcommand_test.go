package jail

import "testing"

// A command that a program started by its name alone is looked for in PATH, and no file.
func TestSpawnHint(t *testing.T) {
	const python = "  File \"/usr/lib/python3.11/subprocess.py\", line 1, in _execute_child\n    raise child_exception_type(errno_num, err_msg, err_filename)\nFileNotFoundError: [Errno 2] No such file or directory: "
	r := &run{spec: Spec{Args: []string{"x"}, Env: []string{"PATH=/usr/bin:/bin"}}}
	want := "the program " + r.notInPath("frobnicate")
	for said, want := range map[string]string{
		python + "'frobnicate'\n":                                                                      want,
		"node:events:497\nError: spawn frobnicate ENOENT\n    at x":                                    want,
		"Error: spawnSync frobnicate ENOENT\n":                                                         want,
		python + "'/usr/bin/frobnicate'\n":                                                             "",
		"Error: spawn /opt/x ENOENT\n":                                                                 "",
		"FileNotFoundError: [Errno 2] No such file or directory: 'frobnicate'\n":                       "",
		"panic: exec: \"frobnicate\": executable file not found in $PATH\n":                            want,
		"x.rb:1:in `exec': No such file or directory - frobnicate (Errno::ENOENT)\n":                   want,
		"java.io.IOException: Cannot run program \"frobnicate\": error=2, No such file or directory\n": want,
		"No such file or directory @ rb_sysopen - frobnicate (Errno::ENOENT)\n":                        "",
		"Error: spawn ": "",
		"":              "",
	} {
		if got := r.spawnHint(said); got != want {
			t.Errorf("spawnHint(%q) = %q, want %q", said, got, want)
		}
	}
}

// It is so in the record as well.
func TestSpawnHintOfPython(t *testing.T) {
	res := runBox(t, shell("exec /usr/bin/python3 -c 'import subprocess; subprocess.run([\"frobnicate\"])'"), IO{})
	if want := "the program found no \"frobnicate\" in PATH, "; len(res.Hint) < len(want) || res.Hint[:len(want)] != want {
		t.Errorf("hint %q, want %q", res.Hint, want)
	}
}
