package jail

import "testing"

// A line of a trace shows whether a file was opened for writing, by the mode.
func TestSaysItWrites(t *testing.T) {
	for said, want := range map[string]bool{
		"    open(name, 'w')\n":                    true,
		"    with open(p, mode=\"xb\") as f:\n":    true,
		"x\n  io.open(p, 'r+')\n":                  true,
		"fs.openSync(p, 'a')\n":                    true,
		"open(p, 'bw+')":                           true,
		"Error: EROFS: mkdir '/x'":                 true,
		"    open(name)\n":                         false,
		"    open(name, 'r')\n":                    false,
		"    open('/etc/x', 'rb')\n":               false,
		"    open(name, encoding='utf-8')\n":       false,
		"opened a file 'w' (and closed it)\n":      false,
		"cannot open\n('w')\n":                     false,
		"    reopen = open(a, 'r'); b('w', 'x')\n": true, // on one line with it
	} {
		if got := saysItWrites(said); got != want {
			t.Errorf("saysItWrites(%q) = %v, want %v", said, got, want)
		}
	}
	for said, want := range map[string]bool{"connect unix:/run/x": true, "/run/a.sock: refused": true, "/run/a.sock": true, "a.sockets": false, "socket": false} {
		if got := namesSocket(said); got != want {
			t.Errorf("namesSocket(%q) = %v, want %v", said, got, want)
		}
	}
}
