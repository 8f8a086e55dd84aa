package withheld

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/cgroups"
)

// What no hint names, for reading (r) and writing (w). Nothing of it need be there.
func TestUnhintableNames(t *testing.T) {
	t.Setenv("HOME", "/srv/people/me")
	h := New()
	for _, c := range []struct{ path, refused string }{
		{"/", "rw"}, {"/home", "rw"}, {"/home/bob", "rw"}, {"/root", "rw"}, {"/etc", "rw"}, {"/boot", "rw"}, {"/opt", "rw"}, {"/srv", "rw"}, {"/tmp", "rw"}, {"/var/lib", "rw"}, {"/usr/local", "rw"},
		{"/srv/people/me", "rw"}, {"/srv/people", "rw"}, {"/srv/people/me/job", ""}, {"/srv/people/me/.ssh/id_rsa", "rw"}, {"/srv/people/me/.ssh", "rw"}, {"/srv/people/me/.config/gh/hosts.yml", "rw"},
		{"/home/bob/.aws/credentials", "rw"}, {"/srv/backup/bob/.gnupg/x", "rw"}, {"/home/bob/job/in.csv", ""}, {"/home/bob/.sshx", "rw"},
		{"/etc/shadow", "rw"}, {"/etc/ssh/ssh_host_rsa_key", "rw"}, {"/etc/cron.d", "w"}, {"/etc/hosts", "w"}, {"/boot/vmlinuz-absent", "w"}, {"/opt/tool", "w"}, {"/var/lib/dpkg", "w"}, {"/usr/lib/x", "w"},
		{"/run/user/1000/x", "rw"}, {"/proc/1/environ", "rw"}, {"/sys/absent", "rw"}, {"/dev/sda-absent", "rw"}, {"/srv/job", ""}, {"/work/x", ""}, {"/tmp/x", ""}, {"/var/tmp/x", ""}, {"/data", ""},
	} {
		for letter, use := range map[string]Use{"r": Read, "w": Write} {
			got := h.Why(File{Real: c.path, Mode: unix.S_IFREG}, use)
			if got == "its file system does not answer: no such file or directory" {
				got = ""
			}
			if (got != "") != strings.Contains(c.refused, letter) {
				t.Errorf("unhintable(%s, %v) = %q, want refused for %q", c.path, use, got, c.refused)
			}
		}
	}
}

// What a run's profile lies in is hinted to nobody to be written, and to be read it is.
func TestUnhintablePolicy(t *testing.T) {
	h := New()
	h.policy = []string{"/srv/job/box.toml", "/srv/conf/profiles"}
	for p, refused := range map[string]string{"/srv/job": "w", "/srv/job/box.toml": "w", "/srv/conf/profiles/own.toml": "w", "/srv/conf": "w", "/srv/job/sub": "", "/srv/jobs": ""} {
		for letter, use := range map[string]Use{"r": Read, "w": Write} {
			got := h.Why(File{Real: p, Mode: unix.S_IFREG}, use)
			if strings.Contains(got, "policy") != strings.Contains(refused, letter) {
				t.Errorf("unhintable(%s, %s) = %q, want refused for %q", p, letter, got, refused)
			}
		}
	}
}

// However many people a host has, the home of each is known.
func TestHomesOfAllPeople(t *testing.T) {
	var b strings.Builder
	b.WriteString("root:x:0:0::/root:/bin/sh\nbin:x:2:2::/bin:/bin/sh\nshort:x\n")
	for i := range 1500 {
		b.WriteString("u:x:" + strconv.Itoa(1000+i) + ":1::/people/" + strconv.Itoa(i) + ":/bin/sh\n")
	}
	file := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if homes := passwdHomes(file); len(homes) != 1501 || homes[0] != "/root" || homes[1500] != "/people/1499" {
		t.Errorf("%d homes, want 1501 from /root to /people/1499", len(homes))
	}
}

// A home is one by whatever link it is named, and a folder holds what it holds.
func TestUnhintablePlaces(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	for _, f := range []string{"real/bob/.ssh/id_rsa", "real/bob/job/in", "real/bob/.config/gh/hosts.yml", "real/bob/.config/app/x", "copy/.netrc", "plain/x", "dots/aws/config", "dots/vim/vimrc"} {
		os.MkdirAll(filepath.Dir(at(f)), 0o755)
		os.WriteFile(at(f), nil, 0o644)
	}
	unix.Mkfifo(at("plain/fifo"), 0o644)
	os.Symlink(at("real/bob"), at("bobhome"))
	os.Symlink(at("dots/aws"), at("real/bob/.aws"))
	os.Symlink("/proc/self/cwd", at("magic"))
	os.Symlink("magic/x", at("deeper"))
	t.Setenv("HOME", at("bobhome"))
	h := New()
	for p, want := range map[string]string{
		"real/bob": "home", "real": "home", "bobhome": "home", "real/bob/.ssh/id_rsa": "keys", "bobhome/.ssh/id_rsa": "keys", "real/bob/job": "", "real/bob/job/in": "",
		"real/bob/.config": "holds gh", "real/bob/.config/gh": "keys", "copy": "holds .netrc", "plain": "", "plain/fifo": "",
		"dots/aws": ".aws\" leads", "dots/aws/config": ".aws\" leads", "dots": ".aws\" leads", "dots/vim": "", "dots/vim/vimrc": "",
	} {
		f, ok := h.At(at(p))
		if got := h.Why(f, Read); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) = %q, want %q", p, got, want)
		}
		if got := h.Private(f.Real); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("Private(%s) = %q, want %q", p, got, want)
		}
	}
	for _, p := range []string{"magic", "deeper", "magic/x"} {
		if f, ok := h.At(at(p)); ok {
			t.Errorf("%s is looked up as %+v: want no link of /proc followed", p, f)
		}
	}
	if f, ok := h.At("/proc/mounts"); !ok || f.Real != "/proc/mounts" || f.Never == "" {
		t.Errorf("%+v, %v of a link in /proc: want it as it is", f, ok)
	}
}

// A link that the box made is its word for what to look at on the host.
func TestLinksOfTheBoxAreNotFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "theirs"), nil, 0o644)
	os.Mkdir(filepath.Join(dir, "ws"), 0o755)
	os.Symlink("../theirs", filepath.Join(dir, "ws", "there"))
	os.Symlink("../absent", filepath.Join(dir, "ws", "nowhere"))
	h := For(Box{Written: []string{filepath.Join(dir, "ws")}})
	there, ok1 := h.At(filepath.Join(dir, "ws", "there"))
	nowhere, ok2 := h.At(filepath.Join(dir, "ws", "nowhere"))
	if ok1 != ok2 || there.Never != nowhere.Never || there.Never == "" {
		t.Errorf("%+v, %v and %+v, %v: want the same of a link to what is there and one to nothing", there, ok1, nowhere, ok2)
	}
}

// Looks that do not come back cost their bound once, in all.
func TestHostLooksAreBounded(t *testing.T) {
	h := New()
	stuck := make(chan struct{})
	defer close(stuck)
	h.until = time.Now().Add(50 * time.Millisecond)
	if h.Bounded(func() { <-stuck }) || !h.over {
		t.Errorf("a look that is stuck was waited for")
	}
	if _, ok := h.At("/"); ok {
		t.Errorf("there is a look after the bound")
	}
	if _, ok := h.look("/usr"); ok || !h.stopped() {
		t.Errorf("what was left behind goes on looking")
	}
	if said, _ := h.through("/usr", mostOfTree, func(string, fs.FileMode) string { return "an entry" }); said != "" {
		t.Errorf("what was left behind goes on through a tree: %q", said)
	}
	t.Setenv("EDITOR", "/ed")
	if list := h.loadedBy(); len(list) > 0 {
		t.Errorf("what was left behind goes on through variables: %v", list)
	}
	if h.linked(); len(h.byLinks.paths)+len(h.byLinks.plain) > 0 {
		t.Errorf("what was left behind goes on through PATH: %q", h.byLinks.plain)
	}
	if got := cgroups.Unescape(`/a\040b\134c`); got != `/a b\c` {
		t.Errorf("Unescape: %q", got)
	}
}
